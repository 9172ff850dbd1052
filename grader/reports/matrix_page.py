"""The proofs as one HTML page."""

from __future__ import annotations

from collections.abc import Sequence

from grader.reports.matrix import MARKS
from grader.reports.pages import render_page
from grader.validation.records import Cell, ExerciseProof


def matrix_page(title: str, exercises: Sequence[ExerciseProof]) -> str:
    classes = {Cell.PASSES: "passes", Cell.FAILS: "fails", Cell.EXPECTED: "expected", Cell.FAULT: "fault"}
    return render_page("matrix.html.jinja", title=title, exercises=exercises, marks=MARKS, classes=classes)
