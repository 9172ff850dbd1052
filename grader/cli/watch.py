"""``grader watch``: the verdict after every save."""

from __future__ import annotations

from pathlib import Path

import click

from grader.cli.base import course_option, open_course, require_torch


@click.command()
@click.argument("exercise", default="")
@course_option
def watch(exercise: str, folder: Path) -> None:
    """Show the verdict after every save.

    Without an EXERCISE: that of the folder you are in, else the first that is not done. Keys: h hint, n next exercise,
    l list, s show a picture, r run all, q quit.
    """
    course = open_course(folder)
    require_torch()
    from grader.student.check_report import next_exercise
    from grader.student.progress import read_progress
    from grader.student.targets import find_targets
    from grader.student.watch import Watch

    targets = find_targets(course, (exercise,) if exercise else (), folder if folder != Path() else Path.cwd())
    chosen = targets[0].exercise
    if len(targets) > 1:
        chosen = next_exercise(course, read_progress(course)) or chosen
    Watch(course, chosen).loop()
