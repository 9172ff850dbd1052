"""``grader release``: the repository that students get."""

from __future__ import annotations

from pathlib import Path

import click

from grader.cli.base import course_option, open_course


@click.command()
@click.argument("out", type=click.Path(path_type=Path), metavar="OUT")
@click.option(
    "--repository", default="", metavar="URL", help="Where students will find it; notebooks in Colab need it."
)
@course_option
def release(out: Path, repository: str, folder: Path) -> None:
    """Write a repository for students into the folder OUT, without anything that must stay hidden.

    It has stubs, handouts, notebooks, public tests and the part of the grader that students need. What is written is
    scanned first: a line of a solution, hidden test, misconception or stand-in, or the secret, is an error.
    """
    course = open_course(folder)
    from grader.authoring.release import make_release, write_release
    from grader.cli import FOR_STUDENTS

    pieces = make_release(course, FOR_STUDENTS, repository)
    write_release(out, pieces)
    click.echo(f"Written: {out} ({len(pieces)} files). Nothing in it must stay hidden, as far as the scan can tell.")
