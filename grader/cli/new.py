"""``grader new``: begin an exercise."""

from __future__ import annotations

from pathlib import Path

import click

from grader.cli.base import course_option


@click.command()
@click.argument("name")
@click.option("--title", default="", help="What students read as its title (default: made of the name).")
@click.option("--optional", is_flag=True, help="It counts only for those who hand it in.")
@course_option
def new(name: str, title: str, optional: bool, folder: Path) -> None:
    """Begin an exercise: write a small one that is complete, to be replaced bit by bit.

    No file is written over. The table of the exercise comes last in course.toml.
    """
    from grader.authoring.new import can_make_notebooks, new_exercise

    *written, manifest = new_exercise(folder, name, title=title, optional=optional)
    click.echo("Written:")
    for path in written:
        click.echo(f"  {path.relative_to(manifest.parent).as_posix()}")
    click.echo(f"Added at the end of {manifest.name}: the table of {name!r}.\n")
    click.echo("This is a small exercise that is complete. Put yours in its place, file by file,")
    click.echo("where the files say so. After every step run\n")
    notebooks = f"grader notebooks {name} && " if can_make_notebooks() else ""
    click.echo(f"  grader stubs {name} && {notebooks}grader validate {name}")
