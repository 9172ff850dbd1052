"""``grader statistics``: what a class says about the criteria."""

from __future__ import annotations

from pathlib import Path

import click

from grader.cli.base import json_option, make_console


@click.command()
@click.argument("results", type=click.Path(path_type=Path))
@click.option("--exercise", "exercises", multiple=True, metavar="NAME", help="Only this one (repeatable).")
@json_option
def statistics(results: Path, exercises: tuple[str, ...], as_json: bool) -> None:
    """Say how hard each criterion was for the class of RESULTS (what `grade` wrote), and which deserve a look."""
    from grader.reports.items import print_items
    from grader.results.schema import as_json as render
    from grader.results.schema import load_results
    from grader.results.statistics import class_items

    found = class_items(load_results(results), exercises)
    click.echo(render(found), nl=False) if as_json else print_items(make_console(), found)
