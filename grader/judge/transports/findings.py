"""What can be said about a student's files as a whole: why the module does not import, and what was left out of it.

The facts come from a fresh worker that reads the files and runs nothing of them (``Survey``). They are checked here and
put into words of ours: a worker that has run student's code is not asked, because its words could carry a hidden input.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Mapping
from typing import Any

import msgspec

from grader.judge.transports.outcomes import StudentFailure, base_name, builtin_name, in_notebook
from grader.results.records import Verdict
from grader.text import printable_line
from grader.wire.messages import STAND_INS, Survey, Surveyed
from grader.wire.notebook import Cell, LeftOut, LeftOutKind, find_cells

Sources = Mapping[str, tuple[str, bytes]]  # module name -> (file name, text)

MAX_ERROR = 120  # characters of the parser's words
MAX_TEXT = 300  # characters of an exception, where students check themselves
MAX_ABSENT = 10
MAX_CELLS = 20  # that are listed one by one
PACKAGE = re.compile(r"[A-Za-z_]\w{0,60}(\.[A-Za-z_]\w{0,60})?", re.ASCII)
NOT_IMPORTED = "does not import"
WITHOUT_EXCEPTION = {
    Verdict.TIMEOUT: "took too long",
    Verdict.CRASHED: "ended its process",
    Verdict.TAMPERED: "broke the conversation with the judge",
}
KINDS = {
    LeftOutKind.NOT_PYTHON: "not valid Python",
    LeftOutKind.EXPRESSION: "an expression",
    LeftOutKind.ASSIGNMENT: "an assignment that nothing needs",
    LeftOutKind.LOOP: "a loop",
    LeftOutKind.WITH: "a with block",
    LeftOutKind.ASSERTION: "an assertion",
    LeftOutKind.BLOCK: "a block",
    LeftOutKind.STATEMENT: "a statement",
}


def ask_survey(name: str, sources: Sources, wanted: tuple[str, ...]) -> Survey:
    """The question to a fresh worker: it gets the student's own files, and no stand-in."""
    own = {module: source for module, source in sources.items() if STAND_INS not in source[0]}
    return Survey(sources=own, name=name, modules=tuple(sources), wanted=wanted)


def check_survey(value: Any, sources: Sources) -> tuple[Surveyed, ...]:
    """The worker's answer as far as it can be true of these files; nothing if it has another form."""
    try:
        found = msgspec.convert(value, tuple[Surveyed, ...])
    except (msgspec.ValidationError, TypeError):
        return ()
    by_module = {one.module: one for one in found if one.module in sources}
    return tuple(_checked(one, sources[one.module][1]) for one in by_module.values())


def _checked(one: Surveyed, source: bytes) -> Surveyed:
    lines = len(source.splitlines())
    return Surveyed(
        module=one.module,
        error=printable_line(one.error, MAX_ERROR),
        line=one.line if 0 < one.line <= lines else 0,
        left_out=tuple(part for part in one.left_out if 0 < part.first <= part.last <= lines),
        absent=tuple(name for name in one.absent if _mentions(source, name))[:MAX_ABSENT],
    )


def _mentions(source: bytes, package: str) -> bool:
    return bool(PACKAGE.fullmatch(package) and re.search(rb"\b" + re.escape(package.encode()) + rb"\b", source))


def describe_problem(
    failure: StudentFailure, surveyed: Iterable[Surveyed], sources: Sources, main: str, *, in_full: bool = False
) -> str:
    """Why the module does not import, once and in a line; ``in_full`` quotes the exception."""
    if failure.verdict in WITHOUT_EXCEPTION:
        return lost_import(failure.verdict, failure.line if in_full else "")
    for one in sorted(surveyed, key=lambda one: one.module != main):
        if one.error and (one.module == main or "SyntaxError" in failure.types):
            return _problem(_place(one, sources), one.error)
    place = failure.line.partition(" in ")[0]
    if failure.verdict is Verdict.MEMORY:
        return _problem(place, "wanted more memory than there is")
    if in_full and failure.types:
        text = printable_line(failure.text, MAX_TEXT)
        return _problem(place, failure.types[0], *([text] if text else []))
    return _problem(place, builtin_name(failure.types))


def lost_import(verdict: Verdict, place: str = "") -> str:
    """The words for an import that ended without an exception, and for where it was."""
    return _problem(place.partition(" in ")[0], WITHOUT_EXCEPTION[verdict])


def _problem(*parts: str) -> str:
    return f"{NOT_IMPORTED} ({': '.join(part for part in parts if part)})"


def _place(one: Surveyed, sources: Sources) -> str:
    name, source = base_name(sources[one.module][0]), sources[one.module][1]
    return in_notebook(f"{name}:{one.line}", {name: source}) if one.line else name


def describe_notes(surveyed: Iterable[Surveyed], sources: Sources, modules: Collection[str]) -> tuple[str, ...]:
    """What people should know about these modules, though it costs nothing."""
    notes: list[str] = []
    for one in surveyed:
        if one.module in modules:
            notes += _left_out(one.left_out, sources[one.module][1])
            if one.absent:
                names = ", ".join(one.absent)
                are, them = ("is", "it") if len(one.absent) == 1 else ("are", "them")
                notes.append(f"{names} {are} not installed here; only code that uses {them} fails")
    return tuple(notes)


def _left_out(parts: Iterable[LeftOut], source: bytes) -> list[str]:
    """A sentence for each cell of which something was left out."""
    by_cell: dict[Cell, list[LeftOut]] = {}
    cells = [cell for cell in find_cells(source.splitlines()) if cell.number]
    for part in parts:
        place = bisect_right(cells, part.first, key=lambda cell: cell.first) - 1
        if place >= 0 and part.last <= cells[place].last:
            by_cell.setdefault(cells[place], []).append(part)
    notes = [f"left out of the notebook: {_in_cell(cell, by_cell[cell])}" for cell in list(by_cell)[:MAX_CELLS]]
    more = len(by_cell) - MAX_CELLS
    return [*notes, f"left out of the notebook: parts of {more} more cells"] if more > 0 else notes


def _in_cell(cell: Cell, parts: list[LeftOut]) -> str:
    if len(parts) == 1 and (parts[0].first, parts[0].last) == (cell.first, cell.last):
        return f"cell {cell.number} ({KINDS[parts[0].kind]})"
    by_kind: dict[LeftOutKind, list[str]] = {}
    for part in parts:
        first, last = part.first - cell.first + 1, part.last - cell.first + 1
        by_kind.setdefault(part.kind, []).append(str(first) if first == last else f"{first}-{last}")
    said = []
    for kind, lines in by_kind.items():
        one = len(lines) == 1 and "-" not in lines[0]
        said.append(f"{'line' if one else 'lines'} {', '.join(lines[:MAX_CELLS])} ({KINDS[kind]})")
    return f"cell {cell.number}, {'; '.join(said)}"
