"""``grader inspect``: what was handed in, before anything is graded."""

from __future__ import annotations

from pathlib import Path

import click

from grader.cli.base import NEEDS_REVIEW, course_option, json_option, make_console, open_course
from grader.cli.intake import Reading, intake_options, take_in


@click.command()
@click.argument("submissions", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="Write what was found as JSON.")
@intake_options
@json_option
@course_option
def inspect(submissions: Path, out: Path | None, reading: Reading, as_json: bool, folder: Path) -> None:
    """Say what lies in SUBMISSIONS (a folder, or the zip that an LMS gave you): whose it is, and what counts.

    Nothing is run, and nothing is written unless you say so. The exit code is 4 if a teacher must decide something.
    """
    course = open_course(folder)
    from grader.files import write_atomically
    from grader.reports.intake import as_document, print_intake
    from grader.results.schema import as_json as to_json

    intake = take_in(submissions, course, reading)
    text = to_json(as_document(intake))
    if out:
        write_atomically(out, text)
    if as_json:
        click.echo(text, nl=False)
    else:
        print_intake(make_console(), intake, course)
    if intake.questions:
        raise SystemExit(NEEDS_REVIEW)
