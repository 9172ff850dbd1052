"""``grader export``: results for other programs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli.base import FOUND_FAILURES, course_option, make_console
from grader.cli.final import extensions_of, near_course
from grader.errors import ExportError, did_you_mean
from grader.text import printable_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from grader.exports.base import Change, Format, Report
    from grader.results.schema import Results


class FormatsCommand(click.Command):
    """Lists the formats below the options; they are looked up only when somebody asks."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from grader.exports import FORMATS

        with formatter.section("Formats"):
            formatter.write_dl([(one.name, _help(one)) for one in FORMATS.values()])


def _known(ctx: click.Context, param: click.Parameter, value: str) -> str:
    from grader.exports import FORMATS

    if value not in FORMATS:
        raise click.BadParameter(f"no format {value!r}{did_you_mean(value, FORMATS)} Formats: {', '.join(FORMATS)}.")
    return value


def _fields(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    for value in values:
        if "=" not in value:
            raise click.BadParameter(f"found {value!r}; write NAME=VALUE.")
    return {name: text for name, _, text in (value.partition("=") for value in values)}


@click.command(cls=FormatsCommand)
@click.argument("results", type=click.Path(path_type=Path))
@click.option("--format", "name", callback=_known, required=True, metavar="NAME", help="One of the formats below.")
@click.option("--out", type=click.Path(path_type=Path), metavar="PATH", help="The file or folder to write.")
@click.option("--into", default="", metavar="FILE", help="The file that you downloaded, or the database, to fill.")
@click.option("--column", "columns", multiple=True, metavar="TITLE", help="The column to fill.")
@click.option("--exercise", "exercises", multiple=True, metavar="NAME",
              help="Fill in the score of this exercise, not the total; repeat it with its --column.")  # fmt: skip
@click.option("--points", type=click.FloatRange(min=0, min_open=True), default=100.0, metavar="N",
              help="What a score of 100 is worth (default: 100).")  # fmt: skip
@click.option("--hidden", default="after_published", metavar="WHEN",
              help="When students see hidden criteria: after_published (default), after_due_date, visible "
                   "or hidden.")  # fmt: skip
@click.option("--field", "fields", callback=_fields, multiple=True, metavar="NAME=VALUE",
              help="What results do not tell: classroom, assignment, ... (repeatable).")  # fmt: skip
@click.option("--dry-run", is_flag=True, help="Show what would change, and write nothing.")
@course_option
@click.pass_context
def export(
    ctx: click.Context,
    results: Path,
    name: str,
    out: Path | None,
    into: str,
    columns: tuple[str, ...],
    exercises: tuple[str, ...],
    points: float,
    hidden: str,
    fields: dict[str, str],
    dry_run: bool,
    folder: Path,
) -> None:
    """Write RESULTS (what `grade` wrote) for another program.

    Grades are those after adjustments, and after the policy of the course if you are in its folder.

    Exit code 1 says that students of the results were not found in your file; everybody else is written. The
    steps for each program are in docs/exports.md.
    """
    from grader.exports import FORMATS
    from grader.exports.base import VISIBILITIES, Options

    format = FORMATS[name]  # noqa: A001  # the word of the glossary
    _check_options(ctx, format, dry_run)
    if hidden not in VISIBILITIES:
        raise ExportError(f"--hidden: found {hidden!r}. Allowed: {', '.join(VISIBILITIES)}.")
    found = _final(results, folder)
    if found.provisional:
        click.echo("grader: these results are provisional: criteria that train a model are still to come.", err=True)
    options = Options(
        out=out, into=into, columns=columns, exercises=exercises, points=points, hidden=hidden,
        fields=fields, dry_run=dry_run,
    )  # fmt: skip
    report = format.export(found, options)
    if format.printable and out is None:
        sys.stdout.buffer.write(report.files[""])
    elif not dry_run:
        _write(report, out)
    _tell(report, dry_run)


def _final(path: Path, folder: Path) -> Results:
    """The results with adjustments, and by the policy of the course, if it is their course."""
    from grader.results.final import finish
    from grader.results.schema import load_results

    results = load_results(path)
    course = near_course(folder)
    if course is None:
        click.echo("grader: no course here: due dates and its policy do not count. Say --course FOLDER.", err=True)
    elif course.title != results.course:
        raise ExportError(
            f"--course: the results are of {printable_line(results.course, 80)!r}, and the course here is "
            f"{course.title!r}. Say --course FOLDER, or go to a folder that is in no course."
        )
    return finish(results, path if path.is_dir() else path.parent, course, extensions_of(course))


def _help(format: Format) -> str:  # noqa: A002
    options = [*format.needs, *(f"[{option}]" for option in format.takes)]
    return f"{format.help} {' '.join(options)}"


def _check_options(ctx: click.Context, format: Format, dry_run: bool) -> None:  # noqa: A002
    """Every option that was given is understood, and every one that is needed is there."""
    given = {
        parameter.opts[0]
        for parameter in ctx.command.params
        if isinstance(parameter, click.Option)
        and ctx.get_parameter_source(parameter.name or "") is click.core.ParameterSource.COMMANDLINE
    }
    for option in sorted(given - {"--format", "--course", *format.needs, *format.takes}):
        takes = ", ".join((*format.needs, *format.takes))
        raise ExportError(f"{option}: the format {format.name} does not use it. It takes: {takes}.")
    for option in format.needs:
        if option not in given and not (dry_run and option == "--out"):
            raise ExportError(f"{option}: the format {format.name} needs it. `grader export --help` says what for.")


def _write(report: Report, out: Path | None) -> None:
    from grader.files import write_atomically

    if report.updated:
        click.echo(f"Updated: {report.updated}")
    if out is None:
        return
    for name, content in report.files.items():
        path = out / name if name else out
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ExportError(f"--out: {path.parent}: cannot be made ({error.strerror}).") from error
        write_atomically(path, content)
    count = f" ({len(report.files)} files)" if "" not in report.files else ""
    click.echo(f"Written: {out}{count}")


def _tell(report: Report, dry_run: bool) -> None:
    if report.changes and dry_run:
        _print_changes(report.changes)
    elif report.changes:
        click.echo(f"Changed cells: {len(report.changes)}")
    elif dry_run:
        click.echo("Nothing would change.")
    for remark in report.remarks:
        click.echo(remark, err=True)
    by_reason: dict[str, list[str]] = {}
    for entry in report.not_found:
        who, _, reason = entry.rpartition(": ")
        by_reason.setdefault(reason if who else "", []).append(who or reason)
    for reason, people in by_reason.items():
        why = f": {reason}" if reason else ""
        click.echo(f"In the results, but without a place: {', '.join(people)}{why}.", err=True)
    if report.not_found:
        raise SystemExit(FOUND_FAILURES)


def _print_changes(changes: Sequence[Change]) -> None:
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("student", "column"):
        table.add_column(heading, overflow="fold")
    table.add_column("old → new", justify="right", no_wrap=True)
    for change in changes:
        student, column = (escape(printable_line(text, 60)) for text in (change.student, change.column))
        old = escape(printable_line(change.old, 20))
        table.add_row(student, column, f"{old or '(empty)'} → {change.new}")
    make_console().print(table)
