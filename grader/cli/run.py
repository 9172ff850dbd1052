"""``grader run``: Python with the modules of all exercises at hand."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import click

from grader.cli.base import course_option, open_course


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@course_option
@click.argument("arguments", nargs=-1, required=True, type=click.UNPROCESSED, metavar="FILE [ARGUMENT]...")
def run(arguments: tuple[str, ...], folder: Path) -> None:
    """Run a file of yours: it can import your other exercises.

    `grader run exercises/NAME/NAME.py` finds your modules of other exercises. `grader run -m jupyter lab` starts
    notebooks that find them too.
    """
    course = open_course(folder)
    paths = [str(course.folder(exercise).resolve()) for exercise in course.exercises]
    paths += [str(course.root.resolve()), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    raise SystemExit(subprocess.run([sys.executable, *arguments], env=environment, check=False).returncode)  # noqa: S603
