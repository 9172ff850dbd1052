"""The proofs as one HTML page that needs nothing else: no script, no font, no network."""

from __future__ import annotations

from collections.abc import Sequence

from jinja2 import Environment, PackageLoader, StrictUndefined

from grader.reports.matrix import MARKS
from grader.reports.proofs import Cell, ExerciseProof


def matrix_page(title: str, exercises: Sequence[ExerciseProof]) -> str:
    environment = Environment(
        loader=PackageLoader("grader.reports"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
    template = environment.get_template("matrix.html.jinja")
    classes = {Cell.PASSES: "passes", Cell.FAILS: "fails", Cell.EXPECTED: "expected", Cell.FAULT: "fault"}
    return template.render(title=title, exercises=exercises, marks=MARKS, classes=classes)
