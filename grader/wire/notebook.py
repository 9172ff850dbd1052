"""The module text that stands for a notebook: how it begins, how its cells are marked, and where a line of it stands.

The trusted side writes this text and names places in it; the worker reads it cell by cell. Both find cells here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum

import msgspec

# The first line of every module that was a notebook, so that lines have the same numbers wherever they are named.
FIRST_LINE = "# Written from a notebook: change that, not this."
HEADER = FIRST_LINE + "\n\n"
MARKER = re.compile(rb"# %% cell ([0-9]{1,6})")


class Cell(msgspec.Struct, frozen=True):
    """Where the code of a cell stands in the text; lines are counted from 1."""

    number: int  # among all cells of the notebook, as one sees them; 0: before the first marker
    first: int
    last: int


class LeftOutKind(StrEnum):
    """What was left out when a notebook became a module."""

    NOT_PYTHON = "not_python"
    EXPRESSION = "expression"
    ASSIGNMENT = "assignment"
    LOOP = "loop"
    WITH = "with"
    ASSERTION = "assertion"
    BLOCK = "block"
    STATEMENT = "statement"


class LeftOut(msgspec.Struct, frozen=True):
    """Lines of the text that are not run."""

    first: int
    last: int
    kind: LeftOutKind


def marker(number: int) -> str:
    """The comment line before a cell."""
    return f"# %% cell {number}"


def is_notebook(source: bytes) -> bool:
    """Whether this is the text of a notebook."""
    return source.removeprefix(b"\xef\xbb\xbf").startswith(FIRST_LINE.encode())


def find_cells(lines: Sequence[bytes]) -> list[Cell]:
    """The cells of such a text, in order, without empty ones; what stands before the first marker is a cell too."""
    marks = [(0, 0)]  # (number of the cell, line of its marker)
    for line, text in enumerate(lines, start=1):
        if found := MARKER.fullmatch(text.rstrip()):
            marks.append((int(found[1]), line))
    ends = [line - 1 for _, line in marks[1:]] + [len(lines)]
    cells = []
    for (number, line), end in zip(marks, ends, strict=True):
        last = next((n for n in range(end, line, -1) if lines[n - 1].strip()), line)
        if last > line:
            cells.append(Cell(number, line + 1, last))
    return cells


def cell_at(source: bytes, line: int) -> tuple[int, int] | None:
    """(cell, line in it) for a line of the text; None for what stands in no cell."""
    if not is_notebook(source):
        return None
    for cell in find_cells(source.splitlines()):
        if cell.number and cell.first <= line <= cell.last:
            return cell.number, line - cell.first + 1
    return None
