"""Scores into the cells of a file that the teacher downloaded: what Canvas and Moodle have in common."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from grader.errors import ExportError
from grader.exports.base import Change, Options, Report, faults, score_of
from grader.exports.people import Entry, Person, match, people_of
from grader.exports.sheet import Sheet
from grader.results.schema import Results
from grader.text import printable_line

NUMBER = re.compile(r"-?\d+(?:[.,]\d+)?")
FULL = 100.0  # what a score is of


class Column(msgspec.Struct, frozen=True, kw_only=True):
    """A column to fill, and with what."""

    index: int
    title: str
    source: str  # an exercise, or the total
    possible: Callable[[int], float | None]  # the points for a row
    kept: Callable[[int], str] = lambda row: ""  # why the cell of a row must stay as it is, or nothing


def read_into(options: Options) -> bytes:
    """The teacher's file; it is never written to, so that it can be compared."""
    path = Path(options.into)
    if options.out is not None and options.out.exists() and path.exists() and options.out.samefile(path):
        raise ExportError(f"--out: {options.out} is the file of --into. Name another file, to keep the one you have.")
    try:
        return path.read_bytes()
    except OSError as error:
        raise ExportError(f"--into: {path}: cannot be read ({error.strerror}).") from error


def number(text: str) -> float | None:
    """``10.00`` or ``10,00``."""
    return float(text.replace(",", ".")) if NUMBER.fullmatch(text.strip()) else None


def decimal_mark(values: Sequence[str]) -> str:
    return "," if any(re.fullmatch(r"-?\d+,\d+", value) for value in values) else "."


def written(value: float, mark: str) -> str:
    """At most two decimals, and none that are zero."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text in ("", "-0") else text.replace(".", mark)


def fill(
    results: Results,
    sheet: Sheet,
    entries: Sequence[Entry],
    columns: Sequence[Column],
    mark: str,
    *,
    trust_ids: bool = True,
) -> Report:
    """The file with the scores in it, and everything that the teacher should know."""
    matches = match(people_of(results), entries, trust_ids=trust_ids)
    new: dict[tuple[int, int], str] = {}
    changes, remarks = [], [*faults(results), *matches.remarks]
    for person, entry in matches.found:
        for column in columns:
            value, why = _value(person, entry, column, sheet)
            if value is None:
                remarks.append(f"{entry.shown}: {printable_line(column.title, 60)} stays as it is: {why}.")
                continue
            text, old = written(value, mark), sheet.value(entry.row, column.index)
            if number(old) == number(text):  # 8.50 is 8.5: there is nothing to change
                continue
            new[entry.row, column.index] = text
            changes.append(Change(student=entry.shown, column=column.title, old=old, new=text))
    remarks += [f"In the file, not in the results: {entry.shown}." for entry in matches.left]
    return Report(
        files={"": sheet.filled(new)},
        changes=tuple(changes),
        remarks=tuple(remarks),
        not_found=matches.not_found,
    )


def _value(person: Person, entry: Entry, column: Column, sheet: Sheet) -> tuple[float | None, str]:
    score, why = score_of(person.student, column.source)
    if score is None:
        return None, f"the student {why}"
    if len(sheet.rows[entry.row]) <= column.index:
        return None, "the row ends before this column"
    if why := column.kept(entry.row):
        return None, why
    possible = column.possible(entry.row)
    if possible is None:
        return None, "the file does not say how many points are possible"
    return round(score * possible / FULL, 2), ""
