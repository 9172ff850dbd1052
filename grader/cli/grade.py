"""``grader grade``: a class of submissions to scores."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli.base import FAULT, INTERRUPTED, NEEDS_REVIEW, course_option, json_option, make_console, open_course
from grader.cli.intake import Reading, intake_options, take_in

if TYPE_CHECKING:
    from grader.grading.run import ClassRun
    from grader.results.schema import Results


@click.command()
@click.argument("submissions", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), required=True, metavar="FOLDER", help="Where results go.")
@click.option("--exercise", "exercises", multiple=True, metavar="NAME", help="Grade only this one (repeatable).")
@click.option("--jobs", type=click.IntRange(min=1), default=None, help="How many at once (default: the cores).")
@click.option("--seed", default=None, help="Draw hidden inputs from these words, not from the course's secret.")
@click.option("--unconfined", is_flag=True, help="Grade although student code cannot be confined here.")
@click.option("--quick", is_flag=True, help="Leave out criteria that train a model; scores are of the others.")
@click.option("--diagnosis/--no-diagnosis", "diagnose", default=True, help="Look for known mistakes behind failures.")
@click.option("--zero-unrecognised", is_flag=True, help="What needs a decision is not handed in: zero points.")
@intake_options
@json_option
@course_option
def grade(
    submissions: Path,
    out: Path,
    exercises: tuple[str, ...],
    jobs: int | None,
    seed: str | None,
    unconfined: bool,
    quick: bool,
    diagnose: bool,
    zero_unrecognised: bool,
    reading: Reading,
    as_json: bool,
    folder: Path,
) -> None:
    """Grade SUBMISSIONS (a folder with a folder per student, or what you downloaded from an LMS) and write the results.

    A first table comes as soon as everything is judged that takes a moment; then models are trained. Run it again to go
    on after an interruption: what is graded already, and has not changed, is not graded again.
    """
    course = open_course(folder)
    from grader.course.secrets import ensure_secret
    from grader.exports import csv
    from grader.files import write_atomically
    from grader.grading.attempts import Attempted
    from grader.grading.backends.local import LocalBackend
    from grader.grading.run import ClassRun
    from grader.grading.settings import Settings
    from grader.reports import terminal
    from grader.reports.intake import print_summary
    from grader.results import schema
    from grader.results.gradebook import open_gradebook
    from grader.sandbox.layers import require_layers

    seed = ensure_secret(course.solutions) if seed is None else seed
    if unconfined:
        click.echo("grader: --unconfined: student code will run as you, with your files and your network.", err=True)
    selected = course.select(exercises)
    layers = None if unconfined else require_layers()
    intake = take_in(submissions, course, reading, out=out)  # of all exercises: the selected ones may build on others
    if not as_json:
        print_summary(make_console(), intake)
    attempted = Attempted(intake.submissions, zero=zero_unrecognised)
    settings = Settings(
        course=course, exercises=selected, layers=layers,
        seed=seed, jobs=jobs or os.cpu_count() or 1, quick=quick,
        diagnose=diagnose,
    )  # fmt: skip

    def write(run: ClassRun, *, provisional: bool = False) -> Results:
        results = attempted.results(course, run.students(), settings.confinement, provisional=provisional)
        write_atomically(out / schema.FILE_NAME, schema.as_json(results))
        if not as_json:
            terminal.print_class(make_console(), results)
        return results

    with open_gradebook(out) as gradebook:
        try:
            with LocalBackend(settings) as backend:
                run = ClassRun(settings, attempted.submissions, gradebook, backend)
                _judge(run, lambda: write(run, provisional=True))
        except KeyboardInterrupt:
            click.echo("\ngrader: interrupted. Run the same command again to go on.", err=True)
            raise SystemExit(INTERRUPTED) from None
        results = write(run)
        write_atomically(out / csv.FILE_NAME, csv.grades_csv(results))
    if as_json:
        click.echo(schema.as_json(results), nl=False)
    else:
        click.echo(f"Written: {out / csv.FILE_NAME} and {out / schema.FILE_NAME}")
        click.echo(f"Confinement: {terminal.confinement_line(layers)}")
    _tell_faults(results)
    if any(student.needs_review for student in results.students):
        raise SystemExit(NEEDS_REVIEW)


def _judge(run: ClassRun, on_first: Callable[[], object]) -> None:
    """All phases of a run, each with its progress; ``on_first`` when the first is over and another takes long."""
    from grader.reports.progress import progress

    with progress("Grading", len(run.entries)) as advance:
        run.judge_short(lambda work: advance())
    if run.has_long_work:
        on_first()
        with progress("Grading what trains a model", len(run.long_works)) as advance:
            run.judge_long(lambda work: advance())
    else:
        run.judge_long(lambda work: None)


def _tell_faults(results: Results) -> None:
    from grader.results.records import Verdict
    from grader.text import printable_line

    faults = [
        f"{printable_line(student.id, 40)}/{exercise.name}"
        for student in results.students
        for exercise in student.exercises
        if exercise.verdict is Verdict.GRADER_FAULT
    ]
    if faults:
        click.echo(f"grader: could not be graded because of a fault of the grader: {', '.join(faults)}", err=True)
        raise SystemExit(FAULT)
