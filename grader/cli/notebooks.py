"""``grader notebooks``: write the notebooks that students get."""

from __future__ import annotations

from pathlib import Path

import click

from grader.cli.base import course_option, exercise_arguments, open_course
from grader.cli.write import check_option, write_for_students


@click.command()
@exercise_arguments
@check_option
@course_option
def notebooks(exercises: tuple[str, ...], only_check: bool, folder: Path) -> None:
    """Write the notebooks that students get from the handouts and the solutions."""
    from grader.authoring.notebooks import write_notebook
    from grader.course import Course

    write_for_students(open_course(folder), exercises, only_check, Course.notebook, write_notebook)
