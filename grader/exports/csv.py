"""``grades.csv``: one row a student, a column per exercise, the total."""

from __future__ import annotations

import csv
import io

from grader.exports.base import Format
from grader.results.schema import Results

# Characters that change the direction of writing: with these one row could look like another's.
DIRECTIONS = {
    code: f"\\u{code:04x}" for code in (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
}
FORMULAS = ("=", "+", "-", "@", "\t", "\r")


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
        table.writerow([_as_text(student.id), *scores, student.score, *final])
    return text.getvalue()


def _as_text(name: str) -> str:
    """A spreadsheet would take some names for formulas, and obey; an apostrophe makes them text."""
    shown = name.translate(DIRECTIONS)
    return f"'{shown}" if shown.startswith(FORMULAS) else shown


GRADES_CSV = Format(file_name="grades.csv", render=grades_csv)
