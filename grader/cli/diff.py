"""``grader diff``: what differs between two results of a class."""

from __future__ import annotations

from pathlib import Path

import click

from grader.cli.base import json_option, make_console


@click.command()
@click.argument("old", type=click.Path(path_type=Path))
@click.argument("new", type=click.Path(path_type=Path))
@click.option("--page", type=click.Path(path_type=Path), metavar="FILE", help="Write what differs as a web page, too.")
@json_option
def diff(old: Path, new: Path, page: Path | None, as_json: bool) -> None:
    """Say who moved between OLD and NEW (what `grade` wrote, before and after), where, and why as far as they tell."""
    from grader.files import write_atomically
    from grader.reports.diff import diff_page, print_diff
    from grader.results.diff import diff_results
    from grader.results.schema import as_json as render
    from grader.results.schema import load_results

    found = diff_results(load_results(old), load_results(new))
    if page:
        write_atomically(page, diff_page(found))
    if as_json:
        click.echo(render(found), nl=False)
        return
    print_diff(make_console(), found)
    if page:
        click.echo(f"Written: {page}")
