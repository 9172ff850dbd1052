"""``grader status``: how far you are."""

from __future__ import annotations

from pathlib import Path

import click

from grader.cli.base import course_option, open_course


@click.command()
@course_option
def status(folder: Path) -> None:
    """Show your progress: points, when each exercise was checked, and the next step."""
    course = open_course(folder)
    from grader.student.check_report import student_console
    from grader.student.progress import read_progress
    from grader.student.status import print_status

    print_status(student_console(), course, read_progress(course))
