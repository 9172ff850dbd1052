"""``grader show``: a student's own result as a picture."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from grader.cli.base import course_option, open_course


@click.command()
@click.argument("exercise")
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE.svg", help="Also write the picture to this file.")
@click.option("--seconds", default=50.0, show_default=True, help="How long your code may take.")
@course_option
def show(exercise: str, out: Path | None, seconds: float, folder: Path) -> None:
    """Draw what your code computes: the table with its path, the lattice, attention, the beam, the loss."""
    course = open_course(folder)
    from grader.student import show as student

    with student.at_most(seconds, course.exercise(exercise).name):
        found = student.show(course, exercise, out)
    encoding = str(getattr(sys.stdout, "encoding", None) or "ascii").lower()
    click.echo(found.text(plain=not encoding.startswith("utf")))
    if out is not None:
        click.echo(f"\nWritten: {out}")
