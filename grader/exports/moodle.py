"""``moodle``: scores into the grading worksheet that the teacher downloaded from a Moodle assignment.

Moodle writes the worksheet in the teacher's language. The first column tells the participants (``Participant 123``).
The others are found by the titles that we know, and where we know none, by their place and by what stands in them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from grader.errors import ExportError, did_you_mean
from grader.exports.base import TOTAL, Format, Options, Report, check_exercises
from grader.exports.fill import Column, decimal_mark, fill, number, read_into
from grader.exports.people import Entry, both_orders
from grader.exports.sheet import Row, Sheet, read_sheet
from grader.results.schema import Results
from grader.text import printable_line

PARTICIPANT = re.compile(r"\D*?(\d+)")
# Titles in English, German, French, Spanish, Italian, Dutch, and Portuguese (also of Brazil).
GRADE = {
    "grade",
    "bewertung",
    "note",
    "calificación",
    "valutazione",
    "voto",
    "cijfer",
    "beoordeling",
    "nota",
    "avaliação",
}
MAXIMUM = {
    "maximum grade", "bestwertung", "note maximale", "calificación máxima", "valutazione massima", "voto massimo",
    "punteggio massimo", "maximumcijfer", "maximum cijfer", "maximale cijfer", "nota máxima", "avaliação máxima",
}  # fmt: skip
CHANGEABLE = {
    "grade can be changed", "bewertung kann geändert werden", "la note peut être modifiée",
    "la calificación puede ser cambiada", "la calificación se puede cambiar", "la valutazione può essere modificata",
    "cijfer kan gewijzigd worden", "nota pode ser alterada", "a nota pode ser alterada",
}  # fmt: skip
ID_NUMBER = {
    "id number", "id-nummer", "numéro d'identification", "número de id", "codice identificativo", "numero id",
    "número de identificação", "número id",
}  # fmt: skip
STATUS = {"status", "statut", "estado", "stato"}
NO = {"no", "nein", "non", "nee", "não", "nao"}
YES = {"yes", "ja", "oui", "sí", "si", "sì", "sim"}
AGAIN = "Download the worksheet again (the assignment, Submissions, Download grading worksheet)."
SKIPPED = (
    "Moodle skips a row, and does not say so, where the grade was changed after the download, is locked, or is out of "
    "range. Look at the number of updated grades that Moodle shows before you confirm."
)


def export(results: Results, options: Options) -> Report:
    if len(options.columns) > 1 or len(options.exercises) > 1:
        raise ExportError("--column, --exercise: a grading worksheet has one grade. Name one of each at most.")
    check_exercises(results, options.exercises)
    sheet = read_sheet(read_into(options), options.into, _fits)
    if not _fits(sheet.rows):
        raise ExportError(
            f"{options.into}: the first column does not tell participants, such as 'Participant 123': this is not a "
            f"grading worksheet of Moodle. {AGAIN}"
        )
    rows = [row for row in range(1, len(sheet.rows)) if sheet.value(row, 0)]
    grade = _grade(sheet, rows, options)
    maximum = _after(sheet, rows, grade, MAXIMUM, lambda value: number(value) is not None)
    if maximum is None:
        raise ExportError(
            f"{options.into}: behind {sheet.header[grade]!r} no column has the maximum grade as a number, so "
            f"scores cannot be scaled. {AGAIN}"
        )
    changeable = _after(sheet, rows, maximum, CHANGEABLE, lambda value: value.casefold() in NO | YES)
    column = Column(
        index=grade,
        title=sheet.header[grade],
        source=options.exercises[0] if options.exercises else TOTAL,
        possible=lambda row: number(sheet.value(row, maximum)),
        kept=lambda row: _locked(sheet, row, changeable),
    )
    mark = decimal_mark([sheet.value(row, index) for row in rows for index in (grade, maximum)])
    # The number of a team may be that of a participant, too.
    report = fill(results, sheet, _entries(sheet, rows, grade), [column], mark, trust_ids=False)
    return Report(
        files=report.files,
        changes=report.changes,
        remarks=(*report.remarks, *_warnings(report)),
        not_found=report.not_found,
    )


def _fits(rows: Sequence[Row]) -> bool:
    """Whether the first column, and not only because it is the whole row, has a number for everybody."""
    first = [row[0].value.strip() for row in rows[1:] if row[0].value.strip()]
    return bool(first) and len(rows[0]) > 2 and all(PARTICIPANT.fullmatch(value) for value in first)


def _grade(sheet: Sheet, rows: Sequence[int], options: Options) -> int:
    header = sheet.header
    if options.columns:
        (wanted,) = options.columns
        same = [index for index, title in enumerate(header) if title == wanted.strip()]
        if len(same) == 1:
            values = {sheet.value(row, same[0]) for row in rows} - {"", "-"}
            if wanted.casefold() in MAXIMUM or any(number(value) is None for value in values):
                raise ExportError(f"--column: {wanted!r} is no column of grades: there is something else in it.")
            return same[0]
        have = "; ".join(printable_line(title, 60) for title in header)
        raise ExportError(
            f"--column: {len(same)} columns are called {wanted!r}{did_you_mean(wanted, header)} The file has: {have}."
        )
    known = [index for index, title in enumerate(header) if title.casefold() in GRADE]
    if len(known) == 1:
        return known[0]
    for index in range(1, len(header) - 1):  # grades, then the same maximum for everybody
        grades = [sheet.value(row, index) for row in rows]
        maxima = {number(sheet.value(row, index + 1)) for row in rows}
        if all(not value or number(value) is not None for value in grades) and len(maxima) == 1 and maxima.pop():
            return index
    have = "; ".join(printable_line(title, 60) for title in header)
    raise ExportError(f"{options.into}: which column has the grades? Say --column. The file has: {have}.")


def _after(sheet: Sheet, rows: Sequence[int], index: int, titles: set[str], fits: Callable[[str], bool]) -> int | None:
    """The column with one of these titles, or else the next one, if what stands in it fits."""
    header = [title.casefold() for title in sheet.header]
    for column in (*(i for i, title in enumerate(header) if title in titles), index + 1):
        values = [value for row in rows if (value := sheet.value(row, column))]
        if values and any(map(fits, values)):
            return column
    return None


def _locked(sheet: Sheet, row: int, changeable: int | None) -> str:
    locked = changeable is not None and sheet.value(row, changeable).casefold() in NO
    return "Moodle says that this grade cannot be changed" if locked else ""


def _entries(sheet: Sheet, rows: Sequence[int], grade: int) -> list[Entry]:
    header = [title.casefold() for title in sheet.header]
    numbers = [index for index, title in enumerate(header) if title in ID_NUMBER]
    mails = [index for index in range(len(header)) if any("@" in sheet.value(row, index) for row in rows)]
    blind = header[1] in STATUS or grade < 3  # with blind marking the status follows at once, and there are no names
    found = []
    for row in rows:
        participant = PARTICIPANT.fullmatch(sheet.value(row, 0))
        others = (sheet.value(row, index) for index in (*numbers[:1], *mails[:1]))
        name = "" if blind else sheet.value(row, 1)
        shown = printable_line(name or sheet.value(row, 0), 60)
        ids = (participant[1] if participant else "", *others)
        found.append(Entry(row=row, ids=ids, names=both_orders(name) if name else (), shown=shown))
    return found


def _warnings(report: Report) -> list[str]:
    zeros = [change.student for change in report.changes if number(change.new) == 0]
    warnings = [SKIPPED] if report.changes else []
    if zeros:
        warnings.append(
            f"Some versions of Moodle skip a grade of 0 when they import a worksheet. Check these students in Moodle "
            f"afterwards: {', '.join(zeros)}."
        )
    return warnings


MOODLE = Format(
    name="moodle",
    help="Fill the grading worksheet of a Moodle assignment (--into).",
    export=export,
    needs=("--into", "--out"),
    takes=("--column", "--exercise", "--dry-run"),
)
