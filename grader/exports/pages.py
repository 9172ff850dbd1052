"""The page of a student, for the zips that carry feedback."""

from __future__ import annotations

import importlib

from grader.results.schema import GradedStudent, Results


def student_page(results: Results, student: GradedStudent) -> bytes:
    """The page, made by ``grader.reports.student_page``; that is loaded only here, because few exports need it."""
    return str(importlib.import_module("grader.reports.student_page").render(results, student)).encode()
