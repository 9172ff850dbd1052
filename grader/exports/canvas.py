"""``canvas``: scores into the gradebook that the teacher exported from Canvas.

Canvas makes a new assignment of every column that it does not know. So we fill columns that are there, and add none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from grader.errors import ExportError, did_you_mean
from grader.exports.base import TOTAL, Format, Options, Report, check_exercises, names_of
from grader.exports.fill import Column, decimal_mark, fill, number, read_into
from grader.exports.people import Entry, both_orders
from grader.exports.sheet import Row, Sheet, read_sheet
from grader.results.schema import Results
from grader.text import printable_line

IDS = ("ID", "SIS User ID", "SIS Login ID")  # in the order in which Canvas looks for a student
NAMES = (("Student",), ("FirstName", "LastName"))
POINTS = "Points Possible"
READ_ONLY = "(read only)"
KEPT = {"EX": "the student is excused (EX)", "N/A": "it is not assigned to the student (N/A)"}
NUMBERED = re.compile(r"(.*\S)\s*\(\d+\)")
AGAIN = "Export the gradebook from Canvas again (Grades, Export), and do not edit it before."


def export(results: Results, options: Options) -> Report:
    sheet = read_sheet(read_into(options), options.into, _fits)
    points = _points_row(sheet, options.into)
    columns = _columns(results, options, sheet, points)
    marked = [sheet.value(row, column.index) for column in columns for row in range(points, len(sheet.rows))]
    return fill(results, sheet, _entries(sheet, points), columns, decimal_mark(marked))


def _fits(rows: Sequence[Row]) -> bool:
    return bool(rows) and "ID" in [cell.value.strip() for cell in rows[0]]


def _points_row(sheet: Sheet, where: str) -> int:
    """The row below which the students stand; the file is refused if it is no gradebook."""
    if "ID" not in sheet.header or not any(set(names) <= set(sheet.header) for names in NAMES):
        raise ExportError(f"{where}: no columns Student and ID: this is not a gradebook of Canvas. {AGAIN}")
    for row in range(1, len(sheet.rows)):
        if sheet.value(row, 0) == POINTS:
            return row
        if sheet.value(row, sheet.header.index("ID")):
            break
    raise ExportError(f"{where}: no row {POINTS!r} above the students, so scores cannot be scaled. {AGAIN}")


def _entries(sheet: Sheet, points: int) -> list[Entry]:
    header = sheet.header
    ids = [header.index(name) for name in IDS if name in header]
    names = next(names for names in NAMES if set(names) <= set(header))
    found = []
    for row in range(points + 1, len(sheet.rows)):
        name = " ".join(sheet.value(row, header.index(part)) for part in names).strip()
        if name or any(sheet.value(row, column) for column in ids):
            shown = printable_line(name or sheet.value(row, ids[0]), 60)
            own = tuple(sheet.value(row, column) for column in ids)
            found.append(Entry(row=row, ids=own, names=both_orders(name), shown=shown))
    return found


def _columns(results: Results, options: Options, sheet: Sheet, points: int) -> list[Column]:
    check_exercises(results, options.exercises)
    assignments = {
        index: title for index, title in enumerate(sheet.header) if number(sheet.value(points, index)) is not None
    }
    pairs = _pairs(results, options, assignments)
    indices = [_find(title, sheet, points, assignments) for title, _ in pairs]
    if len(set(indices)) < len(indices):
        raise ExportError("--column: the same column is named twice. A column has one score.")
    return [_column(sheet, points, index, source) for index, (_, source) in zip(indices, pairs, strict=True)]


def _pairs(results: Results, options: Options, assignments: dict[int, str]) -> list[tuple[str, str]]:
    """(title of a column, exercise or total) as the options say, or else by equal titles."""
    columns, exercises = options.columns, options.exercises
    if columns and not exercises:
        exercises = (TOTAL,)
    if columns and len(columns) != len(exercises):
        raise ExportError(
            f"--column, --exercise: found {len(columns)} columns and {len(exercises)} exercises. Name one column for "
            f"each exercise, in the same order; `--exercise {TOTAL}` is the score of the course."
        )
    if columns:
        return list(zip(columns, exercises, strict=True))
    pairs = []
    for name in exercises or names_of(results):
        titles = {name, *(e.title for s in results.students for e in s.exercises if e.name == name and e.title)}
        same = [title for title in assignments.values() if {title, _bare(title)} & titles]
        if len(same) == 1:
            pairs.append((same[0], name))
        elif exercises:
            raise ExportError(
                f"--exercise {name}: {len(same)} columns have its title. Say --column. {_have(assignments)}"
            )
    if not pairs:
        raise ExportError(f"--column: say which column gets the score. {_have(assignments)}")
    return pairs


def _find(wanted: str, sheet: Sheet, points: int, assignments: dict[int, str]) -> int:
    """The one assignment with this title, with or without its number."""
    wanted = wanted.strip()
    same = [index for index, title in assignments.items() if title == wanted]
    same = same or [index for index, title in assignments.items() if _bare(title) == wanted]
    same = same or [index for index, title in enumerate(sheet.header) if title == wanted]
    if len(same) > 1:
        raise ExportError(f"--column: {len(same)} columns are called {wanted!r}. Give the title with its number.")
    if not same:
        near = did_you_mean(wanted, [*assignments.values(), *map(_bare, assignments.values())])
        raise ExportError(
            f"--column: {wanted!r} is not in the file{near} {_have(assignments)} None is added: Canvas "
            "makes a new assignment of a column that it does not know. Make the assignment in Canvas, and export the "
            "gradebook again."
        )
    (index,) = same
    title = sheet.header[index]
    if READ_ONLY in (sheet.value(points, index), title) or title.endswith(READ_ONLY):
        raise ExportError(f"--column: {wanted!r} is read only: Canvas computes it. {_have(assignments)}")
    if index not in assignments:
        raise ExportError(f"--column: {wanted!r} is not an assignment: it has no points possible. {_have(assignments)}")
    if not number(sheet.value(points, index)):
        raise ExportError(f"--column: {wanted!r} is worth 0 points. Give it points in Canvas, and export again.")
    return index


def _column(sheet: Sheet, points: int, index: int, source: str) -> Column:
    possible = number(sheet.value(points, index))
    return Column(
        index=index,
        title=sheet.header[index],
        source=source,
        possible=lambda row: possible,
        kept=lambda row: KEPT.get(sheet.value(row, index).upper(), ""),
    )


def _bare(title: str) -> str:
    """``Attention`` of ``Attention (4711)``."""
    found = NUMBERED.fullmatch(title)
    return found[1] if found else title


def _have(assignments: dict[int, str]) -> str:
    return f"The file has: {'; '.join(printable_line(title, 60) for title in assignments.values()) or 'no assignment'}."


CANVAS = Format(
    name="canvas",
    help="Fill the gradebook that you exported from Canvas (--into).",
    export=export,
    needs=("--into", "--out"),
    takes=("--column", "--exercise", "--dry-run"),
)
