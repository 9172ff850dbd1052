"""``grader explain``: what a criterion asks, and why it matters."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli.base import course_option, open_course

if TYPE_CHECKING:
    from grader.course.suites import WrittenTest


@click.command()
@click.argument("criterion")
@course_option
def explain(criterion: str, folder: Path) -> None:
    """Say what a public criterion asks and why it matters; for an exercise, list its criteria."""
    course = open_course(folder)
    from grader.course.suites import read_suite
    from grader.student.check_report import student_console
    from grader.student.explain import WHY, find_criterion

    console = student_console()
    for exercise in course.exercises:
        if exercise.name == criterion:
            for test in read_suite(course.public_suite(exercise)):
                console.print(f"{test.id}: {_title(test)}\n    {test.sentence}", markup=False)
            return
    exercise, test = find_criterion(course, criterion)
    console.print(f"{exercise.name}/{test.id}: {_title(test)}", markup=False)
    console.print(f"  {test.sentence}\n  {WHY.get(test.kind, '')}", markup=False)
    console.print(f"  Its test is in {course.public_suite(exercise).relative_to(course.root)}.", markup=False)


def _title(test: WrittenTest) -> str:
    return f"{test.title} ({test.points} point{'s' * (test.points != 1)})"
