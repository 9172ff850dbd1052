"""``grader grade``: a class of submissions to scores."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli.base import FAULT, INTERRUPTED, NEEDS_REVIEW, course_option, json_option, make_console, open_course
from grader.cli.intake import Reading, intake_options, take_in

if TYPE_CHECKING:
    from grader.grading.backends.base import Backend
    from grader.grading.run import ClassRun
    from grader.grading.settings import Settings
    from grader.grading.tasks import Work
    from grader.results.schema import Made, Results
    from grader.submissions.base import Submission


@click.command()
@click.argument("submissions", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), required=True, metavar="FOLDER", help="Where results go.")
@click.option("--exercise", "exercises", multiple=True, metavar="NAME", help="Grade only this one (repeatable).")
@click.option("--jobs", type=click.IntRange(min=1), default=None, help="How many at once (default: the cores).")
@click.option(
    "--cluster", metavar="WHERE", help="Judge with dask: local:4, tcp://HOST:PORT, or your own module:factory."
)
@click.option("--seed", default=None, help="Draw hidden inputs from these words, not from the course's secret.")
@click.option("--unconfined", is_flag=True, help="Grade although student code cannot be confined here.")
@click.option("--quick", is_flag=True, help="Leave out criteria that train a model; scores are of the others.")
@click.option("--diagnosis/--no-diagnosis", "diagnose", default=True, help="Look for known mistakes behind failures.")
@click.option(
    "--students", type=click.Path(path_type=Path), metavar="FILE", help="Grade only these, one a line; others stay."
)
@click.option("--zero-unrecognised", is_flag=True, help="What needs a decision is not handed in: zero points.")
@intake_options
@json_option
@course_option
def grade(
    submissions: Path,
    out: Path,
    exercises: tuple[str, ...],
    jobs: int | None,
    cluster: str | None,
    seed: str | None,
    unconfined: bool,
    quick: bool,
    diagnose: bool,
    students: Path | None,
    zero_unrecognised: bool,
    reading: Reading,
    as_json: bool,
    folder: Path,
) -> None:
    """Grade SUBMISSIONS (a folder with a folder per student, or what you downloaded from an LMS) and write the results.

    A first table comes as soon as everything is judged that takes a moment; then models are trained. Run it again to go
    on after an interruption: what is graded already, and has not changed, is not graded again.
    """
    if cluster and unconfined:
        raise click.UsageError("--unconfined: without confinement, student code could give orders to a --cluster.")
    if cluster and jobs:
        raise click.UsageError("--jobs: with --cluster, each cluster worker judges one work at a time.")
    course = open_course(folder)
    from grader.cli.final import extensions_of
    from grader.course.secrets import ensure_secret
    from grader.exports import csv
    from grader.files import write_atomically
    from grader.grading.attempts import Attempted
    from grader.grading.run import ClassRun
    from grader.grading.settings import Settings
    from grader.reports import terminal
    from grader.reports.intake import print_summary
    from grader.reports.write import write_pages
    from grader.results import keeping, schema
    from grader.results.final import finish
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
    attempted = Attempted(_only(intake.submissions, students), zero=zero_unrecognised)
    digests = {(s.student, name): digest for s in intake.submissions for name, digest in s.origin.digests.items()}
    settings = Settings(
        course=course, exercises=selected, layers=layers,
        seed=seed, jobs=jobs or os.cpu_count() or 1, quick=quick,
        diagnose=diagnose,
    )  # fmt: skip
    made = _made(settings)
    extensions = extensions_of(course)

    with open_gradebook(out) as gradebook:
        old = keeping.earlier_results(out)
        kept = keeping.keep_earlier(out, (schema.FILE_NAME, csv.FILE_NAME), old)

        def write(run: ClassRun, *, provisional: bool = False) -> tuple[Results, Results]:
            found = attempted.results(
                course, run.students(), settings.confinement, provisional=provisional, made=made
            )  # fmt: skip
            found = keeping.add_to(old, found, everybody=students is None, digests=digests)
            write_atomically(out / schema.FILE_NAME, schema.results_json(found))
            final = finish(found, out, course, extensions)
            if not as_json:
                terminal.print_class(make_console(), final)
            return found, final

        try:
            with _backend(settings, cluster) as backend:
                run = ClassRun(settings, attempted.submissions, gradebook, backend)
                _judge(run, lambda: write(run, provisional=True))
        except KeyboardInterrupt:
            click.echo("\ngrader: interrupted. Run the same command again to go on.", err=True)
            raise SystemExit(INTERRUPTED) from None
        results, final = write(run)
        write_atomically(out / csv.FILE_NAME, csv.grades_csv(final))
        page = write_pages(final, out)
        if kept and old and keeping.same_grades(old, results):
            shutil.rmtree(kept)
            kept = None
    if as_json:
        click.echo(schema.as_json(final), nl=False)
    else:
        click.echo(f"Written: {page}, {out / csv.FILE_NAME} and {out / schema.FILE_NAME}")
        if kept:
            click.echo(f"What was there before: {kept}")
        click.echo(f"Confinement: {terminal.confinement_line(layers)}")
    if lost := [] if students else keeping.lost_students(old, results):
        click.echo(f"grader: no longer among the submissions: {', '.join(map(_printable, lost))}", err=True)
    _tell_faults(results)
    if any(student.needs_review for student in final.students):
        raise SystemExit(NEEDS_REVIEW)


def _backend(settings: Settings, cluster: str | None) -> Backend:
    if cluster is None:
        from grader.grading.backends.local import LocalBackend

        return LocalBackend(settings)
    from grader.grading.backends.cluster import ClusterBackend
    from grader.grading.backends.dask_pool import open_pool

    return ClusterBackend(settings, open_pool(cluster), lambda what: click.echo(f"grader: {what}", err=True))


def _only(submissions: tuple[Submission, ...], file: Path | None) -> tuple[Submission, ...]:
    """Those of the students whom a file lists, one a line; all if there is no file."""
    from grader.errors import SubmissionError, did_you_mean

    if file is None:
        return submissions
    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise SubmissionError(f"{file}: cannot be read ({error}). Write one student a line.") from error
    wanted = {line.strip() for line in lines if line.strip() and not line.startswith("#")}
    known = {submission.student for submission in submissions}
    for student in sorted(wanted - known):
        near = did_you_mean(student, known)
        raise SubmissionError(f"{file}: there is no student {student!r} among the submissions{near}")
    return tuple(submission for submission in submissions if submission.student in wanted)


def _made(settings: Settings) -> Made:
    import datetime
    import hashlib
    import platform
    from importlib import metadata

    from grader import __version__
    from grader.results.schema import Made

    return Made(
        at=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        grader=__version__,
        python=platform.python_version(),
        torch=metadata.version("torch"),
        exercises=tuple(exercise.name for exercise in settings.exercises),
        quick=settings.quick,
        diagnosis=settings.diagnose,
        seed=hashlib.sha256(settings.seed.encode()).hexdigest()[:16],
    )


def _judge(run: ClassRun, on_first: Callable[[], object]) -> None:
    """All phases of a run, each with its progress; ``on_first`` when the first is over and another takes long."""
    from grader.reports.progress import progress

    with progress("Grading", len(run.entries)) as advance:
        run.judge_short(lambda work: advance(_name(work)), advance.say)
    if run.has_long_work:
        on_first()
        with progress("Training", len(run.long_works)) as advance:
            run.judge_long(lambda work: advance(_name(work)), advance.say)
    else:
        run.judge_long(lambda work: None)


def _name(work: Work) -> str:
    return f"{work.student.partition(chr(0))[0]} {work.task.exercise}"


def _printable(name: str) -> str:
    from grader.text import printable_line

    return printable_line(name, 40)


def _tell_faults(results: Results) -> None:
    from grader.results.records import Verdict

    faults = [
        f"{_printable(student.id)}/{exercise.name}"
        for student in results.students
        for exercise in student.exercises
        if exercise.verdict is Verdict.GRADER_FAULT
    ]
    if faults:
        click.echo(f"grader: could not be graded because of a fault of the grader: {', '.join(faults)}", err=True)
        raise SystemExit(FAULT)
