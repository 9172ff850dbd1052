"""``grader doctor``: how student code is confined on this machine."""

from __future__ import annotations

import click

from grader.cli.base import FOUND_FAILURES, json_option, make_console


@click.command()
@json_option
def doctor(as_json: bool) -> None:
    """Say how student code is confined on this machine, layer by layer, and try it."""
    from grader.judge.doctor import examine
    from grader.reports import doctor as report
    from grader.results.schema import as_json as render
    from grader.sandbox.layers import find_layers

    layers = find_layers()
    findings = examine(layers)
    if as_json:
        click.echo(render(report.doctor_document(layers, dict(findings))), nl=False)
    else:
        report.print_doctor(make_console(), layers, dict(findings))
    if layers.level == "none" or any(findings.values()):
        raise SystemExit(FOUND_FAILURES)
