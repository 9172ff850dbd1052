"""What teachers use: ``grade``, ``statistics`` and ``doctor``."""

from __future__ import annotations

import os
from pathlib import Path

import click

from grader.cli.base import (
    FAULT,
    FOUND_FAILURES,
    INTERRUPTED,
    course_option,
    json_option,
    main,
    make_console,
    open_course,
)


@main.command()
@click.argument("pile", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), required=True, metavar="FOLDER", help="Where results go.")
@click.option("--exercise", "exercises", multiple=True, metavar="NAME", help="Grade only this one (repeatable).")
@click.option("--jobs", type=click.IntRange(min=1), default=None, help="How many at once (default: the cores).")
@click.option("--seed", type=int, default=None, help="Draw hidden inputs from this seed, not course.toml's.")
@click.option("--unconfined", is_flag=True, help="Grade although student code cannot be confined here.")
@click.option("--quick", is_flag=True, help="Leave out criteria that train a model; scores are of the others.")
@click.option("--diagnosis/--no-diagnosis", "diagnose", default=True, help="Look for known mistakes behind failures.")
@json_option
@course_option
def grade(
    pile: Path,
    out: Path,
    exercises: tuple[str, ...],
    jobs: int | None,
    seed: int | None,
    unconfined: bool,
    quick: bool,
    diagnose: bool,
    as_json: bool,
    folder: Path,
) -> None:
    """Grade a PILE of submissions (a folder per student) and write the results.

    Run it again to go on after an interruption: what is graded already, and has not changed, is not graded again.
    """
    course = open_course(folder)
    from grader.authoring.stubs import course_stub
    from grader.gradebook import open_gradebook
    from grader.models import Verdict
    from grader.pipeline import Settings, grade_class
    from grader.reports import grades, results, terminal
    from grader.reports.files import write_atomically
    from grader.reports.progress import progress
    from grader.sandbox.layers import require_layers
    from grader.submissions.folder import read_folder
    from grader.text import printable_line

    selected = course.select(exercises)
    layers = None if unconfined else require_layers()
    submissions = read_folder(  # of all exercises: the selected ones may build on others
        pile, course, lambda exercise: course_stub(course, exercise) if course.solution(exercise).is_file() else ""
    )
    settings = Settings(
        course=course, exercises=selected, layers=layers,
        seed=course.seed if seed is None else seed, jobs=jobs or os.cpu_count() or 1, quick=quick,
        diagnose=diagnose,
    )  # fmt: skip
    with open_gradebook(out) as gradebook:
        try:
            with progress("Grading", len(submissions) * len(selected)) as advance:
                students = grade_class(settings, submissions, gradebook, advance)
        except KeyboardInterrupt:
            click.echo("\ngrader: interrupted. Run the same command again to go on.", err=True)
            raise SystemExit(INTERRUPTED) from None
        document = results.as_json(results.results_document(course, students, results.confinement_document(layers)))
        write_atomically(out / "results.json", document)
        write_atomically(out / "grades.csv", grades.grades_csv(course, selected, students))
    if as_json:
        click.echo(document, nl=False)
    else:
        terminal.print_class(make_console(), course, selected, students)
        click.echo(f"Written: {out / 'grades.csv'} and {out / 'results.json'}")
        click.echo(f"Confinement: {terminal.confinement_line(layers)}")
    faults = [
        f"{printable_line(student.id, 40)}/{exercise.name}"
        for student in students
        for exercise in student.exercises
        if exercise.verdict is Verdict.GRADER_FAULT
    ]
    if faults:
        click.echo(f"grader: could not be graded, through no fault of the students: {', '.join(faults)}", err=True)
        raise SystemExit(FAULT)


@main.command()
@click.argument("results", type=click.Path(path_type=Path))
@click.option("--exercise", "exercises", multiple=True, metavar="NAME", help="Only this one (repeatable).")
@json_option
def statistics(results: Path, exercises: tuple[str, ...], as_json: bool) -> None:
    """Say how hard each criterion was for the class of RESULTS (what `grade` wrote), and which deserve a look."""
    from grader.reports.items import load_items, print_items
    from grader.reports.results import as_json as render

    found = load_items(results, exercises)
    click.echo(render(found), nl=False) if as_json else print_items(make_console(), found)


@main.command()
@json_option
def doctor(as_json: bool) -> None:
    """Say how student code is confined on this machine, layer by layer, and try it."""
    from grader.reports import doctor as report
    from grader.reports.results import as_json as render
    from grader.sandbox.layers import find_layers

    layers = find_layers()
    findings = report.examine(layers)
    if as_json:
        click.echo(render(report.doctor_document(layers, dict(findings))), nl=False)
    else:
        report.print_doctor(make_console(), layers, dict(findings))
    if layers.level == "none" or any(findings.values()):
        raise SystemExit(FOUND_FAILURES)
