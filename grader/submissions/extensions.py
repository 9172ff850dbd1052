"""Who has more time: a CSV with ``student, exercise, due``; without an exercise it is for all."""

from __future__ import annotations

import datetime
from pathlib import Path

from grader.errors import SubmissionError
from grader.submissions.csv_table import read_rows


def read_extensions(path: Path) -> dict[tuple[str, str], datetime.datetime]:
    """(student, exercise or nothing) -> due."""
    found = {}
    for number, row in enumerate(read_rows(path, "list of extensions"), start=2):
        try:
            due = datetime.datetime.fromisoformat(row.get("due", ""))
        except ValueError:
            raise SubmissionError(
                f"{path}: row {number}: due: found {row.get('due', '')!r}; write it like 2026-11-18T23:59+01:00."
            ) from None
        if not row.get("student"):
            raise SubmissionError(f"{path}: row {number} names no student. The columns are student, exercise, due.")
        found[row["student"], row.get("exercise", "")] = due
    return found
