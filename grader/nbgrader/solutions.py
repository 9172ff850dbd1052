"""``StubSolutions`` in the place of nbgrader's ``ClearSolutions``: students get the stub that ``grader stubs`` writes.

nbgrader looks at each cell alone. So a helper of the solution's own would become a line that raises when the notebook
runs, and imports that only the solution needs would stay.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from nbgrader.preprocessors import NbGraderPreprocessor
from nbgrader.utils import is_solution

from grader.course.stubs import make_stub

CUT = "# %% solution cell {}"


class StubSolutions(NbGraderPreprocessor):  # type: ignore[misc]  # nbgrader has no types
    """One of ``c.GenerateAssignment.preprocessors``."""

    def preprocess(self, notebook: Any, resources: Any) -> tuple[Any, Any]:
        cells = [cell for cell in notebook.cells if cell.cell_type == "code" and is_solution(cell)]
        stubs = stub_cells([cell.source for cell in cells], Path(f"{resources['nbgrader']['notebook']}.ipynb"))
        for cell, stub in zip(cells, stubs, strict=True):
            cell.source = stub
        empty = [id(cell) for cell in cells if not cell.source]  # all that it had was the solution's own
        notebook.cells = [cell for cell in notebook.cells if id(cell) not in empty]
        return notebook, resources


def stub_cells(sources: list[str], path: Path) -> list[str]:
    """The stub of one module that is cut into cells, cut in the same places."""
    if not sources:
        return []
    whole = "\n\n\n".join(f"{CUT.format(number)}\n{source}" for number, source in enumerate(sources))
    parts = re.split(rf"(?m)^{CUT.format('[0-9]+')}$", make_stub(whole, path))
    return [part.strip("\n") for part in parts[1:]]
