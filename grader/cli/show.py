"""``grader show``: a student's own result as a picture."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from grader.cli.base import course_option, open_course


@click.command()
@click.argument("exercise")
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE.svg", help="Also write the picture to this file.")
@course_option
def show(exercise: str, out: Path | None, folder: Path) -> None:
    """Draw what your code computes: the table with its path, the lattice, attention, the beam, the loss."""
    course = open_course(folder)
    from grader.student import show as student

    found = student.show(course, exercise, out)
    encoding = str(getattr(sys.stdout, "encoding", None) or "ascii").lower()
    click.echo(found.text(plain=not encoding.startswith("utf")))
    if out is not None:
        click.echo(f"\nWritten: {out}")
