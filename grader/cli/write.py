"""What ``stubs`` and ``notebooks`` share: write a file for each exercise, or say which are out of date."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli.base import FOUND_FAILURES

if TYPE_CHECKING:
    from grader.course import Course, Exercise

check_option = click.option(
    "--check", "only_check", is_flag=True, help="Write nothing; fail if something is out of date."
)


def write_for_students(
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
