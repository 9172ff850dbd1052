"""From an exercise to its notebook: the handout, the stub in one cell per definition, and a cell that checks it.

The cells carry nbgrader's metadata: the handout is locked, what students write is an answer.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Any

from grader.authoring.handouts import read_handout, sections
from grader.authoring.stubs import write_if_changed
from grader.course import Course, Exercise
from grader.course.stubs import course_stub
from grader.errors import GraderError

if TYPE_CHECKING:
    from types import ModuleType

NBGRADER_SCHEMA = 3
CODE_COMES_AFTER = "## What to write"


def make_notebook(course: Course, exercise: Exercise, setup: str = "", before_check: str = "") -> str:
    """The notebook as the text of its file; the same exercise always gives the same text.

    A release puts code for Colab into a first cell, and before the check.
    """
    nbformat = _nbformat()
    v4 = nbformat.v4
    cells = []
    prose = sections(read_handout(course, exercise))
    place = next((n for n, text in enumerate(prose, 1) if text.startswith(CODE_COMES_AFTER)), len(prose))

    def add(make: Any, source: str, name: str, *, locked: bool) -> None:
        cell = make(source, id=re.sub(r"[^a-zA-Z0-9]+", "-", name).strip("-").lower()[:64])
        cell["metadata"] = {"nbgrader": _metadata(f"{exercise.name}-{cell['id']}", locked=locked)}
        if make is v4.new_code_cell and locked:
            cell["metadata"]["editable"] = False
        cells.append(cell)

    if setup:
        add(v4.new_code_cell, setup, "set up", locked=True)
    for text in prose[:place]:
        add(v4.new_markdown_cell, text, text.splitlines()[0], locked=True)
    if exercise.builds_on:
        add(v4.new_code_cell, _others(exercise), "what this builds on", locked=True)
    for name, source in _definitions(course_stub(course, exercise)):
        add(v4.new_code_cell, source, f"code {name}", locked=False)
    add(v4.new_code_cell, before_check + _check(exercise), "check", locked=True)
    for text in prose[place:]:
        add(v4.new_markdown_cell, text, text.splitlines()[0], locked=True)
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = v4.new_notebook(cells=cells, metadata={"kernelspec": kernel, "language_info": {"name": "python"}})
    return str(nbformat.writes(notebook, indent=1, ensure_ascii=False)) + "\n"


def write_notebook(course: Course, exercise: Exercise, *, only_check: bool = False) -> bool:
    """Write the exercise's notebook; True if that changed (or would change) the file."""
    return write_if_changed(course.notebook(exercise), make_notebook(course, exercise), only_check=only_check)


def _definitions(stub: str) -> list[tuple[str, str]]:
    """The stub's source, cut before each function and class with its comments and decorators; a name for each piece."""
    lines = stub.splitlines()
    cuts: list[tuple[int, str]] = [(0, "imports")]
    for node in ast.parse(stub).body:
        if not isinstance(node, ast.FunctionDef | ast.ClassDef):
            continue
        first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)]) - 1
        while first and lines[first - 1].startswith("#"):
            first -= 1
        cuts.append((first, node.name))
    ends = [cut for cut, _ in cuts[1:]] + [len(lines)]
    pieces = [(name, "\n".join(lines[cut:end]).strip("\n")) for (cut, name), end in zip(cuts, ends, strict=True)]
    return [(name, source) for name, source in pieces if source]


def _others(exercise: Exercise) -> str:
    folders = ", ".join(f'"../{name}"' for name in exercise.builds_on)
    return f"# Your own modules that this exercise builds on are found here.\nimport sys\n\nsys.path[:0] = [{folders}]"


def _check(exercise: Exercise) -> str:
    return (
        f"# Save the notebook, then run this: it writes your code to {exercise.name}.py and runs the public tests.\n"
        "import sys\n\n"
        f'!"{{sys.executable}}" -m grader check {exercise.name}.ipynb'
    )


def _metadata(grade_id: str, *, locked: bool) -> dict[str, Any]:
    return {
        "grade": False,
        "grade_id": grade_id,
        "locked": locked,
        "schema_version": NBGRADER_SCHEMA,
        "solution": not locked,
        "task": False,
    }


def _nbformat() -> ModuleType:
    try:
        import nbformat
    except ModuleNotFoundError:
        raise GraderError("Notebooks need nbformat. Run: pip install 'grader[notebooks]'") from None
    return nbformat
