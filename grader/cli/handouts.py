"""``grader handouts``: write the handouts as pages."""

from __future__ import annotations

from pathlib import Path

import click

from grader.cli.base import course_option, exercise_arguments, open_course


@click.command()
@exercise_arguments
@click.option("--out", type=click.Path(path_type=Path), required=True, metavar="FOLDER", help="Where the pages go.")
@course_option
def handouts(exercises: tuple[str, ...], out: Path, folder: Path) -> None:
    """Write the handouts as pages (HTML), with their pictures inside."""
    course = open_course(folder)
    from grader.authoring.handouts import handout_page

    out.mkdir(parents=True, exist_ok=True)
    for exercise in course.select(exercises):
        page = out / f"{exercise.name}.html"
        page.write_text(handout_page(course, exercise, r"\1.html"), encoding="utf-8")
        click.echo(f"Written: {page}")
