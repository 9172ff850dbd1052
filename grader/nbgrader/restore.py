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
            graded = {cell.name: cell.max_score for cell in given.grade_cells}
            tasks = {cell.name: cell.max_score for cell in given.task_cells}
            solutions = {cell.name for cell in given.solution_cells}
            texts = {cell.name: str(cell.source) for cell in given.source_cells}
            tests = {cell.name for cell in given.source_cells if cell.name in graded and cell.cell_type == "code"}
            known = {
                cell.name: _metadata(
                    cell, graded.get(cell.name, tasks.get(cell.name)), cell.name in solutions, cell.name in tasks
                )
                for cell in given.source_cells
            }
        found = restore(notebook, known)
        missing = [name for name in self._in_order(about, tests) if name not in found]
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


def _metadata(cell: Any, points: float | None, solution: bool, task: bool) -> dict[str, Any]:
    return {
        "grade": points is not None and not task,
        "grade_id": cell.name,
        "locked": bool(cell.locked),
        **({} if points is None else {"points": points}),
        **({"checksum": cell.checksum} if cell.checksum else {}),
        "schema_version": NBGRADER_SCHEMA,
        "solution": solution,
        "task": task,
    }
