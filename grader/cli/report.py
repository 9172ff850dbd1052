"""``grader report``: web pages from results."""

from __future__ import annotations

from pathlib import Path

import click

from grader.cli.base import course_option
from grader.cli.final import open_final


@click.command()
@click.argument("results", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), default=None, metavar="FOLDER", help="Where the pages go.")
@course_option
def report(results: Path, out: Path | None, folder: Path) -> None:
    """Write the class page and a page for each student from RESULTS (what `grade` wrote).

    The pages go beside the results, unless --out names another folder.
    """
    from grader.reports.write import write_pages

    found = open_final(results, folder)
    page = write_pages(found, out or (results if results.is_dir() else results.parent))
    click.echo(f"Written: {page}, and {len(found.students)} pages in {page.parent / 'students'}")
