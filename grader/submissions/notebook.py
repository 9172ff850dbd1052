"""The code that a student wrote in a notebook, as the module that it stands for.

A notebook is data here: nothing in it is run, nothing is parsed as Python, and none of Jupyter is needed. Before each
cell stands a comment with its number among all cells of the notebook. The worker reads the module cell by cell.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import msgspec

from grader.submissions.names import defined_names
from grader.wire.notebook import HEADER, MARKER, marker

__all__ = [
    "HEADER", "SUFFIX", "NotebookError", "notebook_source", "python_of_cell", "source_of_cells", "source_of_exercise",
]  # fmt: skip

SUFFIX = ".ipynb"
# "%time f(x)", "!ls", "?f", "f??", "x = !ls": at the start of a line and without a space, which Python's own % and !=
# never are where a formatter has been. To be sure one would have to parse a stranger's code, and parsers are attacked.
MAGIC = re.compile(
    r"[ \t]*(%%?[A-Za-z]|!(?!=)|\?\??[A-Za-z_]|%?[A-Za-z_][\w.]*\?\??[ \t]*$|[A-Za-z_][\w., \t]*=[ \t]*(!|%[A-Za-z]))"
)
# Cells with these are Python all the same; below any other "%%" stands something else.
PYTHON_CELL_MAGICS = ("%%time", "%%timeit", "%%capture", "%%prun")


class NotebookError(Exception):
    """It is not a notebook that we can read; the text says why."""


class _Cell(msgspec.Struct):
    cell_type: str
    source: str | list[str] = ""
    metadata: dict[str, Any] = {}

    @property
    def locked(self) -> bool:
        """Ours, not the student's: it checks, or sets something up."""
        ours = self.metadata.get("nbgrader")
        return isinstance(ours, dict) and bool(ours.get("locked"))


class _Notebook(msgspec.Struct):
    cells: list[_Cell]


class _Code(msgspec.Struct, frozen=True):
    """A code cell of the student's."""

    number: int  # among all cells
    text: str  # what only a notebook understands is a comment

    @property
    def defines(self) -> frozenset[str]:
        return defined_names(self.text.encode(errors="replace"))


def notebook_source(content: bytes) -> str:
    """The code cells in their order; what only a notebook understands (``!ls``, ``%time``, ``f?``) is a comment."""
    return _join(_read(content))


def source_of_cells(texts: Iterable[str]) -> str:
    """The module of code cells that are there as texts, in their order."""
    return _join(_Code(number, python_of_cell(text)) for number, text in enumerate(texts, start=1) if text.strip())


def source_of_exercise(content: bytes, own: frozenset[str], others: frozenset[str]) -> str:
    """The module of one exercise, from a notebook that holds several.

    ``own`` are the names that this exercise asks for, ``others`` those that the other exercises ask for. After the last
    cell that defines a name of this exercise alone, the module ends before the first one that defines a name of others
    alone. So a later exercise cannot replace what this one defines, and all that it may need from before is there.
    """
    cells = _read(content)
    only_own, only_others = own - others, others - own
    last = max((n for n, cell in enumerate(cells) if cell.defines & only_own), default=-1)
    if last < 0:
        return _join(cells)
    end = next((n for n in range(last + 1, len(cells)) if cells[n].defines & only_others), len(cells))
    return _join(cells[:end])


def _read(content: bytes) -> list[_Code]:
    try:
        notebook = msgspec.json.decode(content, type=_Notebook)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise NotebookError(f"is not a Jupyter notebook (format 4) ({error}).") from error
    found = [
        _Code(number, python_of_cell(cell.source))
        for number, cell in enumerate(notebook.cells, start=1)
        if cell.cell_type == "code" and not cell.locked
    ]
    return [cell for cell in found if cell.text.strip()]


def _join(cells: Iterable[_Code]) -> str:
    return HEADER + "\n\n\n".join(f"{marker(cell.number)}\n{cell.text.rstrip()}" for cell in cells) + "\n"


def python_of_cell(source: str | list[str]) -> str:
    """The text of a code cell; what only a notebook understands is a comment."""
    text = source if isinstance(source, str) else "".join(source)
    lines = text.splitlines()
    first = text.lstrip().partition("\n")[0]
    foreign = first.startswith("%%") and not first.startswith(PYTHON_CELL_MAGICS)
    return "\n".join(f"# {line}" if foreign or MAGIC.match(line) or _is_marker(line) else line for line in lines)


def _is_marker(line: str) -> bool:
    """A comment of the student's that looks like one of ours."""
    return MARKER.fullmatch(line.encode(errors="replace").rstrip()) is not None
