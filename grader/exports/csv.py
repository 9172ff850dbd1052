"""``csv``, the format of ``grades.csv``: one row a student, a column per exercise, the total."""

from __future__ import annotations

import csv
import io

from grader.exports.base import Format, grade_of, only_file
from grader.exports.safe import spreadsheet_text
from grader.results.schema import Results

FILE_NAME = "grades.csv"


def grades_csv(results: Results) -> str:
    """The table as text; a cell is empty where we could not grade, and where an optional exercise was left out."""
    names = [exercise.name for exercise in results.students[0].exercises] if results.students else []
    text = io.StringIO(newline="")
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["student", *names, "total"])
    for student in results.students:
        scores = [None if exercise.left_out else grade_of(exercise) for exercise in student.exercises]
        table.writerow([spreadsheet_text(student.id), *scores, grade_of(student)])
    return text.getvalue()


CSV = Format(
    name="csv",
    help="A table for a spreadsheet: the grades.csv that `grade` writes.",
    export=lambda results, options: only_file(grades_csv(results)),
    takes=("--out",),
    printable=True,
)
