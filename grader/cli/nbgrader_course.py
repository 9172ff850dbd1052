"""``grader nbgrader-course``: a complete course for nbgrader."""

from __future__ import annotations

from pathlib import Path

import click

from grader.cli.base import course_option, open_course


@click.command("nbgrader-course")
@click.argument("out", type=click.Path(path_type=Path, file_okay=False), metavar="DIR")
@click.option("--exercise", "exercises", multiple=True, metavar="NAME", help="Only this one (repeatable).")
@course_option
def nbgrader_course(out: Path, exercises: tuple[str, ...], folder: Path) -> None:
    """Write an nbgrader course into DIR: its configuration and a source notebook for each exercise.

    Run it again after a change of the course. A configuration that is there is yours, and stays.
    """
    course = open_course(folder)
    from grader.authoring.nbgrader_course import CONFIG
    from grader.authoring.nbgrader_course import nbgrader_course as make
    from grader.course.secrets import ensure_secret
    from grader.files import write_atomically

    ensure_secret(course.solutions)
    counts = {"written": 0, "up to date": 0}
    for name, content in make(course, course.select(exercises)).items():
        path = out / name
        same = path.is_file() and path.read_bytes() == content
        if path.is_file() and not same and name == CONFIG:
            click.echo(f"{path}: differs from what would be written, and stays as it is")
            continue
        counts["up to date" if same else "written"] += 1
        if not same:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(path, content)
    click.echo(f"{out}: {', '.join(f'{count} files {what}' for what, count in counts.items() if count)}.")
    click.echo("It holds solutions: not for students. Next, in that folder: nbgrader generate_assignment NAME")
