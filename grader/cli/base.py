"""What all commands share: errors for people, options, and where the course is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader import __version__
from grader.errors import GraderError, did_you_mean, not_installed

if TYPE_CHECKING:
    from grader.course import Course

FOUND_FAILURES = 1
USAGE = 2
FAULT = 3
NEEDS_REVIEW = 4
INTERRUPTED = 130


class Commands(click.Group):
    """Catches errors for people once, and suggests the near name of an unknown command."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except GraderError as error:
            click.echo(f"grader: {error}", err=True)
            ctx.exit(USAGE)
        except ModuleNotFoundError as error:
            package = (error.name or "").partition(".")[0]
            if package in ("", "grader"):
                raise
            click.echo(f"grader: {not_installed(package)}", err=True)
            ctx.exit(USAGE)
        except KeyboardInterrupt:
            click.echo("\ngrader: interrupted.", err=True)
            ctx.exit(INTERRUPTED)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        if args and self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            names = self.list_commands(ctx)
            raise click.UsageError(f"No command {args[0]!r}{did_you_mean(args[0], names)}", ctx)
        return super().resolve_command(ctx, args)


course_option = click.option(
    "--course", "folder", type=click.Path(path_type=Path), default=".", metavar="FOLDER",
    help="The course, or a folder inside it (default: here).",
)  # fmt: skip
json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
exercise_arguments = click.argument("exercises", nargs=-1, metavar="[EXERCISE]...")


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__)
def main() -> None:
    """Learn sequence models by doing: check your exercises, grade a class, write new ones."""


def open_course(folder: Path) -> Course:
    from grader.course import find_course

    return find_course(folder)


def require_torch() -> None:
    """Say in one sentence what helps where the installation is not complete."""
    from importlib.util import find_spec

    if find_spec("torch") is None:
        raise GraderError(not_installed("torch"))


def make_console() -> Any:
    from rich.console import Console

    return Console(highlight=False)
