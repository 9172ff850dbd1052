"""Decisions of a teacher about single files: a CSV with ``student, file, exercise``."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from grader.errors import SubmissionError, did_you_mean
from grader.submissions.csv_table import read_rows

COLUMNS = ("student", "file", "exercise")


def read_mapping(path: Path, exercises: Collection[str]) -> dict[tuple[str, str], str]:
    """(student, file) -> exercise, as `grader inspect` shows students and files."""
    found = {}
    for number, row in enumerate(read_rows(path, "mapping"), start=2):
        missing = [column for column in COLUMNS if not row.get(column)]
        if missing:
            raise SubmissionError(
                f"{path}: row {number} has no {missing[0]}. Each row says student, file and exercise, with the names "
                "that `grader inspect` shows."
            )
        if row["exercise"] not in exercises:
            raise SubmissionError(
                f"{path}: row {number}: there is no exercise {row['exercise']!r}"
                f"{did_you_mean(row['exercise'], exercises)}"
            )
        found[row["student"], row["file"]] = row["exercise"]
    return found
