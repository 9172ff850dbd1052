"""``grader gradescope-zip``: an autograder for Gradescope."""

from __future__ import annotations

from pathlib import Path

import click

from grader.cli.base import course_option, open_course


@click.command("gradescope-zip")
@click.argument("out", type=click.Path(path_type=Path), metavar="OUT.zip")
@click.option("--exercise", "exercises", multiple=True, metavar="NAME", help="Grade only this one (repeatable).")
@click.option("--quick", is_flag=True, help="Leave out criteria that train a model.")
@click.option("--hidden", type=click.Choice(["after_published", "after_due_date", "visible", "hidden"]),
              default="after_published", help="When students see hidden criteria.", show_default=True)  # fmt: skip
@click.option("--unconfined", is_flag=True,
              help="Grade even where student code cannot be confined; it can then read hidden tests.")  # fmt: skip
@course_option
def gradescope_zip(
    out: Path, exercises: tuple[str, ...], quick: bool, hidden: str, unconfined: bool, folder: Path
) -> None:
    """Make the zip that Gradescope takes as an autograder.

    It holds the course with solutions, hidden tests and the secret, and the grader: give it to Gradescope and to nobody
    else.
    """
    course = open_course(folder)
    from grader.authoring.autograder import autograder_zip
    from grader.course.secrets import ensure_secret
    from grader.files import write_atomically

    ensure_secret(course.solutions)
    selected = tuple(exercise.name for exercise in course.select(exercises)) if exercises else ()
    content = autograder_zip(course, selected, hidden=hidden, quick=quick, unconfined=unconfined)
    write_atomically(out, content)
    click.echo(f"Written: {out} ({len(content) // 1024} KiB). It holds hidden tests and the secret: not for students.")
    if unconfined:
        click.echo(
            "grader: --unconfined: where student code cannot be confined, it can read the hidden tests.",
            err=True,
        )
