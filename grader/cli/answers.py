"""``grader answers``: write the hashed answers of predict.toml."""

from __future__ import annotations

from pathlib import Path

import click

from grader.cli.base import course_option, exercise_arguments, open_course
from grader.cli.write import check_option, write_for_students


@click.command()
@exercise_arguments
@check_option
@course_option
def answers(exercises: tuple[str, ...], only_check: bool, folder: Path) -> None:
    """Write the solutions' answers to the questions of `grader predict`, as hashes."""
    course = open_course(folder)
    from grader.authoring.answers import write_answers
    from grader.course.predictions import path_of

    write_for_students(course, exercises, only_check, path_of, write_answers)
