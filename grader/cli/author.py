"""What authors use: ``validate``, and what writes the files that students get."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.cli.base import (
    FOUND_FAILURES,
    course_option,
    exercise_arguments,
    json_option,
    main,
    make_console,
    open_course,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from grader.manifest import Course, Exercise


check_option = click.option(
    "--check", "only_check", is_flag=True, help="Write nothing; fail if something is out of date."
)


@main.command()
@exercise_arguments
@click.option("--all", "anew", is_flag=True, help="Judge everything anew, with 20 seeds, and not only what changed.")
@click.option("--seeds", type=click.IntRange(min=0), help="How many other seeds to try (default: 5).")
@click.option("--mutate", is_flag=True, help="Also judge automatic mutants of the solution.")
@click.option("--long", "train_too", is_flag=True, help="Also the criteria that train a model.")
@click.option("--jobs", type=click.IntRange(min=1), help="How many at once (default: the cores).")
@click.option("--html", "page", type=click.Path(path_type=Path), metavar="FILE", help="Write the matrix as a page.")
@json_option
@course_option
def validate(exercises: tuple[str, ...], page: Path | None, as_json: bool, folder: Path, **how: Any) -> None:
    """Prove that the suites are sound: right solutions lose nothing, known mistakes are caught.

    What has not changed since the last proof is not judged again.
    """
    course = open_course(folder)
    from grader.reports.matrix import print_proofs
    from grader.validation import prove

    found = prove(course, course.select(exercises), **how)
    print_proofs(make_console(), course, found, page=page, as_json=as_json)
    if not all(exercise.holds for exercise in found):
        raise SystemExit(FOUND_FAILURES)


@main.command()
@exercise_arguments
@check_option
@course_option
def stubs(exercises: tuple[str, ...], only_check: bool, folder: Path) -> None:
    """Write the stubs that students get from the solutions."""
    from grader.authoring.stubs import write_stub
    from grader.manifest import Course

    _write_for_students(open_course(folder), exercises, only_check, Course.module, write_stub)


@main.command()
@exercise_arguments
@check_option
@course_option
def notebooks(exercises: tuple[str, ...], only_check: bool, folder: Path) -> None:
    """Write the notebooks that students get from the handouts and the solutions."""
    from grader.authoring.notebooks import write_notebook
    from grader.manifest import Course

    _write_for_students(open_course(folder), exercises, only_check, Course.notebook, write_notebook)


@main.command()
@exercise_arguments
@click.option("--out", type=click.Path(path_type=Path), required=True, metavar="FOLDER", help="Where the pages go.")
@course_option
def handouts(exercises: tuple[str, ...], out: Path, folder: Path) -> None:
    """Write the handouts as pages (HTML), with their pictures inside."""
    course = open_course(folder)
    from grader.authoring.handouts import handout_page

    out.mkdir(parents=True, exist_ok=True)
    for exercise in course.select(exercises):
        page = out / f"{exercise.name}.html"
        page.write_text(handout_page(course, exercise), encoding="utf-8")
        click.echo(f"Written: {page}")


def _write_for_students(
    course: Course,
    exercises: tuple[str, ...],
    only_check: bool,
    path: Callable[[Course, Exercise], Path],
    write: Callable[..., bool],
) -> None:
    """Write one file for each exercise and say of each whether it changed."""
    stale = False
    for exercise in course.select(exercises):
        changed = write(course, exercise, only_check=only_check)
        stale = stale or changed
        word = ("out of date" if only_check else "written") if changed else "up to date"
        click.echo(f"{path(course, exercise).relative_to(course.root)}: {word}")
    if only_check and stale:
        raise SystemExit(FOUND_FAILURES)
