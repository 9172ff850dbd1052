"""``grader similar``: which submissions have much in common."""

from __future__ import annotations

from pathlib import Path

import click

from grader.cli.base import course_option, json_option, make_console, open_course
from grader.cli.final import open_final
from grader.cli.intake import Reading, intake_options, take_in
from grader.errors import SubmissionError
from grader.overlap.pairs import THRESHOLD


@click.command()
@click.argument("results", type=click.Path(path_type=Path))
@click.argument("submissions", type=click.Path(path_type=Path))
@click.option(
    "--threshold", type=click.FloatRange(0, 1, min_open=True), default=THRESHOLD, show_default=True, metavar="SHARE",
    help="Name pairs with this share of a text in common, or more.",
)  # fmt: skip
@click.option("--exercise", "exercises", multiple=True, metavar="NAME", help="Only this one (repeatable).")
@intake_options
@json_option
@course_option
def similar(
    results: Path,
    submissions: Path,
    threshold: float,
    exercises: tuple[str, ...],
    reading: Reading,
    as_json: bool,
    folder: Path,
) -> None:
    """Say which of SUBMISSIONS have much in common, and write similar.html beside RESULTS (what `grade` wrote).

    That is a reason to look, not a finding. What the course gave out does not count. Texts are compared as data:
    nothing is run.
    """
    course = open_course(folder)
    from grader.files import write_atomically
    from grader.overlap.given import given_texts
    from grader.overlap.pairs import class_pairs
    from grader.overlap.submissions import texts_by_exercise
    from grader.reports.class_page import FILE_NAME as CLASS_PAGE
    from grader.reports.similar import FILE_NAME, print_similar, similar_page
    from grader.reports.write import write_pages
    from grader.results.schema import as_json as render
    from grader.results.schema import load_results

    graded = load_results(results)
    selected = [exercise.name for exercise in course.select(exercises)]
    out = results if results.is_dir() else results.parent
    intake = take_in(submissions, course, reading, out=out)
    names = {submission.student: submission.origin.name for submission in intake.submissions}
    if not names.keys() & {student.id for student in graded.students}:
        raise SubmissionError(
            f"{submissions}: nobody in it is in {results}. Give the submissions that were graded there."
        )
    names |= {student.id: student.name for student in graded.students if student.name}
    texts = texts_by_exercise(intake.submissions, selected)
    found = class_pairs(graded.course, texts, given_texts(course), names, threshold)
    page = out / FILE_NAME
    write_atomically(page, similar_page(found, texts))
    if (out / CLASS_PAGE).is_file():  # it links to this one
        write_pages(open_final(results, folder), out)
    if as_json:
        click.echo(render(found), nl=False)
        return
    print_similar(make_console(), found)
    click.echo(f"Written: {page}")
