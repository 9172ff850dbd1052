"""``grader stubs``: write the stubs that students get."""

from __future__ import annotations

from pathlib import Path

import click

from grader.cli.base import course_option, exercise_arguments, open_course
from grader.cli.write import check_option, write_for_students


@click.command()
@exercise_arguments
@check_option
@course_option
def stubs(exercises: tuple[str, ...], only_check: bool, folder: Path) -> None:
    """Write the stubs that students get from the solutions."""
    from grader.authoring.stubs import write_stub
    from grader.course import Course

    write_for_students(open_course(folder), exercises, only_check, Course.module, write_stub)
