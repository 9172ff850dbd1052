"""``grades.csv``: one row a student, a column per exercise, the total."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from grader.manifest import Course, Exercise
from grader.models import StudentResult
from grader.reports.results import rounded
from grader.scoring import course_score, exercise_score


def grades_csv(course: Course, exercises: Sequence[Exercise], students: Sequence[StudentResult]) -> str:
    """The table as text; a cell is empty where we could not grade."""
    text = io.StringIO(newline="")
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["student", *(exercise.name for exercise in exercises), "total"])
    for student in students:
        scores = [exercise_score(exercise) for exercise in student.exercises]
        table.writerow([student.id, *map(rounded, scores), rounded(course_score(student, course.weights))])
    return text.getvalue()
