"""``grader github-workflow``: checks on GitHub for a student's repository."""

from __future__ import annotations

from pathlib import Path

import click

from grader.cli.base import course_option, exercise_arguments, open_course


@click.command("github-workflow")
@exercise_arguments
@click.option("--out", type=click.Path(path_type=Path), metavar="FOLDER",
              help="The repository: write .github/workflows/check.yml there (default: print it).")  # fmt: skip
@course_option
def github_workflow(exercises: tuple[str, ...], out: Path | None, folder: Path) -> None:
    """Make a workflow of GitHub Actions that runs `grader check` in a student's repository.

    It needs no secret and no hidden test: the repository is the copy of the course for students.
    """
    course = open_course(folder)
    from grader.authoring.workflow import PATH, workflow
    from grader.errors import ExportError
    from grader.files import write_atomically

    names = tuple(exercise.name for exercise in course.select(exercises)) if exercises else ()
    text = workflow(names)
    if out is None:
        click.echo(text, nl=False)
        return
    try:
        (out / PATH).parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ExportError(f"--out: {(out / PATH).parent}: cannot be made ({error.strerror}).") from error
    write_atomically(out / PATH, text)
    click.echo(f"Written: {out / PATH}")
