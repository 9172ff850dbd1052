"""``grades.csv``: one row a student, a column per exercise, the total."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from grader.manifest import Course, Exercise
from grader.models import StudentResult
from grader.reports.results import rounded
from grader.scoring import course_score, exercise_score, left_out

FORMULAS = ("=", "+", "-", "@", "\t", "\r")


def grades_csv(course: Course, exercises: Sequence[Exercise], students: Sequence[StudentResult]) -> str:
    """The table as text; a cell is empty where we could not grade, and where an optional exercise was left out."""
    text = io.StringIO(newline="")
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["student", *(exercise.name for exercise in exercises), "total"])
    for student in students:
        scores = [None if left_out(e, course.optional) else exercise_score(e) for e in student.exercises]
        total = course_score(student, course.weights, course.optional)
        table.writerow([_as_text(student.id), *map(rounded, scores), rounded(total)])
    return text.getvalue()


def _as_text(name: str) -> str:
    """A spreadsheet would take some names for formulas, and obey; an apostrophe makes them text."""
    return f"'{name}" if name.startswith(FORMULAS) else name
