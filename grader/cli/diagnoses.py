"""``grader diagnoses``: write what students are told about known mistakes."""

from __future__ import annotations

from pathlib import Path

import click

from grader.cli.base import course_option, exercise_arguments, open_course
from grader.cli.write import check_option, write_for_students


@click.command()
@exercise_arguments
@check_option
@course_option
def diagnoses(exercises: tuple[str, ...], only_check: bool, folder: Path) -> None:
    """Write the wrong answers by which `check` and `watch` recognise known mistakes."""
    from grader.authoring.diagnoses import write_diagnoses
    from grader.course.known_mistakes import known_mistakes_file

    write_for_students(open_course(folder), exercises, only_check, known_mistakes_file, write_diagnoses)
