"""``csv``, the format of ``grades.csv``: one row a student, a column per exercise, the total."""

from __future__ import annotations

import csv
import io

from grader.exports.base import Format, only_file
from grader.exports.safe import spreadsheet_text
from grader.results.schema import Results

FILE_NAME = "grades.csv"


def grades_csv(results: Results) -> str:
    """The table as text; a cell is empty where we could not grade, and where an optional exercise was left out."""
    names = [exercise.name for exercise in results.students[0].exercises] if results.students else []
    text = io.StringIO(newline="")
    table = csv.writer(text, lineterminator="\n")
    has_final = any(student.final is not None for student in results.students)
    table.writerow(["student", *names, "total", *(["final"] if has_final else [])])
    for student in results.students:
        scores = [None if exercise.left_out else exercise.score for exercise in student.exercises]
        final = [student.final] if has_final else []
        table.writerow([spreadsheet_text(student.id), *scores, student.score, *final])
    return text.getvalue()


CSV = Format(
    name="csv",
    help="A table for a spreadsheet: the grades.csv that `grade` writes.",
    export=lambda results, options: only_file(grades_csv(results)),
    takes=("--out",),
    printable=True,
)
