"""A table of a teacher's: CSV as spreadsheets and LMS write it."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from grader.errors import SubmissionError
from grader.submissions.encoding import as_utf8

DELIMITERS = ",;\t"


def read_rows(path: Path, what: str) -> list[dict[str, str]]:
    """One dict for each row, by the headings in lower case; ``what`` names the file in messages."""
    try:
        text = as_utf8(path.read_bytes())[0].decode(errors="replace")
    except OSError as error:
        raise SubmissionError(f"{path}: the {what} cannot be read ({error.strerror}).") from error
    head = text.partition("\n")[0]
    delimiter = max(DELIMITERS, key=head.count)
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    except csv.Error as error:
        raise SubmissionError(f"{path}: the {what} is not a table ({error}).") from error
    if not rows:
        raise SubmissionError(f"{path}: the {what} is empty.")
    headings = [heading.strip().casefold() for heading in rows[0]]
    return [
        {heading: cell.strip() for heading, cell in zip(headings, row, strict=False)}
        for row in rows[1:]
        if any(cell.strip() for cell in row)
    ]
