"""The code that a student wrote in a notebook, as the module that it stands for.

A notebook is data here: nothing in it is run, and none of Jupyter is needed.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

SUFFIX = ".ipynb"
# The first line of every module that was a notebook, so that lines have the same numbers wherever they are named.
HEADER = "# Written from a notebook: change that, not this.\n\n"
# "%time f(x)", "!ls", "?f": at the start of a line and without a space, which Python's own % and != never are where
# a formatter has been. To be sure one would have to parse a stranger's code, which can end the process that does it.
MAGIC = re.compile(r"[ \t]*(%%?[A-Za-z]|!(?!=)|\?[A-Za-z])")
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


def notebook_source(content: bytes) -> str:
    """The code cells in their order; what only a notebook understands (``!ls``, ``%time``) becomes a comment."""
    try:
        notebook = msgspec.json.decode(content, type=_Notebook)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise NotebookError(f"is not a Jupyter notebook (format 4) ({error}).") from error
    code = (cell for cell in notebook.cells if cell.cell_type == "code" and not cell.locked)
    return HEADER + "\n\n\n".join(text for cell in code if (text := _python(cell.source).strip("\n"))) + "\n"


def _python(source: str | list[str]) -> str:
    text = source if isinstance(source, str) else "".join(source)
    lines = text.splitlines()
    first = text.lstrip().partition("\n")[0]
    foreign = first.startswith("%%") and not first.startswith(PYTHON_CELL_MAGICS)
    return "\n".join(f"# {line}" if foreign or MAGIC.match(line) else line for line in lines)
