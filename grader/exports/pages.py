"""The page of a student, for the zips that carry feedback."""

from __future__ import annotations

from grader.results.schema import GradedStudent, Results


def student_page(results: Results, student: GradedStudent) -> bytes:
    """The page as a file; what makes it is loaded only here, because few exports need it."""
    from grader.reports.student_page import render

    return render(results, student).encode()
