"""``RestoreCells``: before nbgrader reads a notebook, its cells are again those that were given out.

A student may delete, copy, rename or reorder cells, or lose all metadata in another program. nbgrader stops at some of
this, and gives no points for a grade cell that is gone. Its database knows every cell: what a cell's id says is taken
from there, what does not fit is an ordinary cell, and grade cells that are missing come back at the end.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from nbformat.v4 import new_code_cell
from nbgrader.api import Gradebook
from nbgrader.preprocessors import NbGraderPreprocessor

NBGRADER_SCHEMA = 3


class RestoreCells(NbGraderPreprocessor):  # type: ignore[misc]  # nbgrader has no types
    """The first of ``c.Autograde.sanitize_preprocessors``."""

    def preprocess(self, notebook: Any, resources: Any) -> tuple[Any, Any]:
        about = resources["nbgrader"]
        with Gradebook(about["db_url"]) as gradebook:
            given = gradebook.find_notebook(about["notebook"], about["assignment"])
            points = {cell.name: cell.max_score for cell in given.grade_cells}
            solutions = {cell.name for cell in given.solution_cells}
            sources = {cell.name: cell for cell in given.source_cells}
            known = {
                name: _metadata(name, points.get(name), name in solutions, bool(cell.locked), cell.checksum)
                for name, cell in sources.items()
                if name not in {task.name for task in given.task_cells}
            }
            texts = {name: str(cell.source) for name, cell in sources.items()}
            kinds = {name: str(cell.cell_type) for name, cell in sources.items()}
        changed = restore(notebook, known)
        missing = [name for name in self._in_order(about, points) if name not in changed and kinds.get(name) == "code"]
        for name in missing:
            notebook.cells.append(new_code_cell(texts[name], metadata={"nbgrader": known[name]}))
        if missing:
            self.log.warning("%s: grade cells were missing, and came back: %s", about["student"], ", ".join(missing))
        if notebook.nbformat_minor < 5:  # only newer notebooks have ids
            for cell in notebook.cells:
                cell.pop("id", None)
        return notebook, resources

    def _in_order(self, about: Any, names: Any) -> list[str]:
        """As in the teacher's notebook; the database keeps no order."""
        coursedir = self.parent.parent.coursedir
        source = Path(coursedir.format_path(coursedir.source_directory, ".", about["assignment"]))
        try:
            cells = json.loads((source / f"{about['notebook']}.ipynb").read_text(encoding="utf-8"))["cells"]
            order = [cell["metadata"].get("nbgrader", {}).get("grade_id") for cell in cells]
        except (OSError, ValueError, KeyError):
            order = []
        return sorted(names, key=lambda name: (order.index(name) if name in order else len(order), name))


def restore(notebook: Any, known: dict[str, dict[str, Any]]) -> set[str]:
    """Gives cells their metadata back, each id once; answers which ids are there."""
    found: set[str] = set()
    for cell in notebook.cells:
        own = cell.metadata.pop("nbgrader", None)
        name = own.get("grade_id") if isinstance(own, dict) else None
        if isinstance(name, str) and name in known and name not in found:
            found.add(name)
            cell.metadata["nbgrader"] = dict(known[name])
    return found


def _metadata(name: str, points: float | None, solution: bool, locked: bool, checksum: str | None) -> dict[str, Any]:
    return {
        "grade": points is not None,
        "grade_id": name,
        "locked": locked,
        **({} if points is None else {"points": points}),
        **({"checksum": checksum} if checksum else {}),
        "schema_version": NBGRADER_SCHEMA,
        "solution": solution,
        "task": False,
    }
