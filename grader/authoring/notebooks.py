"""From an exercise to its notebook: handout, stub in one cell per definition, a cell that checks it, grade cells.

The cells carry nbgrader's metadata: the handout is locked, what students write is an answer, and every criterion has a
grade cell. The notebook for teachers (``make_source_notebook``) has the solution in marks in the place of the stub, and
hidden tests; what nbgrader releases of it is the notebook for students.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from grader.authoring.handouts import read_handout, sections
from grader.authoring.stubs import write_if_changed
from grader.course import Course, Exercise
from grader.course.grade_cells import GradeCell, grade_cells
from grader.course.marks import find_regions
from grader.course.predictions import path_of
from grader.course.stubs import course_stub
from grader.errors import GraderError
from grader.student.show import drawings

NBGRADER_SCHEMA = 3
CODE_COMES_AFTER = "## What to write"
BEGIN_HIDDEN, END_HIDDEN = "### BEGIN HIDDEN TESTS", "### END HIDDEN TESTS"
GRADED = """## What is graded

Each cell below is one criterion with its points. Save the notebook, then run a cell: if nothing is wrong, it says so in
one line. Hidden criteria are tested by your teacher; their cells say what they look at."""

PREDICT = """# Questions before you code. They cost nothing; skip them if you like.
from grader.student.predict import predict

predict("{name}")"""

PICTURE = """# What your code computes, as a picture. Run the cells above first.
from grader.student.show import picture

picture("{name}", globals())"""


def make_notebook(course: Course, exercise: Exercise, setup: str = "", before_check: str = "") -> str:
    """The students' notebook as the text of its file; the same exercise always gives the same text.

    A release puts code for Colab into a first cell, and before the check.
    """
    code = _definitions(course_stub(course, exercise))
    return _make(course, exercise, code, hidden_tests=False, setup=setup, before_check=before_check)


def make_source_notebook(course: Course, exercise: Exercise) -> str:
    """The teachers' notebook: nbgrader makes the students' notebook of it."""
    stub = course_stub(course, exercise)
    solution = course.solution(exercise).read_text(encoding="utf-8")
    regions = [(region.begin, region.end) for region in find_regions(solution, course.solution(exercise))]
    names = {name for name, _ in _definitions(stub)}
    return _make(course, exercise, _definitions(solution, names, regions), hidden_tests=True)


def _make(
    course: Course, exercise: Exercise, code: Sequence[tuple[str, str]], *, hidden_tests: bool, setup: str = "",
    before_check: str = "",
) -> str:  # fmt: skip
    v4 = _nbformat().v4
    cells: list[Any] = []
    prose = sections(read_handout(course, exercise))
    place = next((n for n, text in enumerate(prose, 1) if text.startswith(CODE_COMES_AFTER)), len(prose))

    def add(make: Any, source: str, name: str, *, locked: bool, graded: GradeCell | None = None) -> None:
        cell = make(source, id=re.sub(r"[^a-zA-Z0-9]+", "-", name).strip("-").lower()[:64])
        own = f"{exercise.name}-{cell['id']}"
        cell["metadata"] = {"nbgrader": _metadata(graded.grade_id if graded else own, locked=locked, graded=graded)}
        if make is v4.new_code_cell and locked:
            cell["metadata"]["editable"] = False
        if graded:
            cell["metadata"]["deletable"] = False
        cells.append(cell)

    if setup:
        add(v4.new_code_cell, setup, "set up", locked=True)
    for text in prose[:place]:
        add(v4.new_markdown_cell, text, text.splitlines()[0], locked=True)
    if path_of(course, exercise).is_file():
        add(v4.new_code_cell, PREDICT.format(name=exercise.name), "predict", locked=True)
    if exercise.builds_on:
        add(v4.new_code_cell, _others(exercise), "what this builds on", locked=True)
    for name, source in code:
        add(v4.new_code_cell, source, f"code {name}", locked=False)
    add(v4.new_code_cell, before_check + _check(exercise), "check", locked=True)
    if exercise.name in drawings(course):
        add(v4.new_code_cell, PICTURE.format(name=exercise.name), "picture", locked=True)
    for text in prose[place:]:
        add(v4.new_markdown_cell, text, text.splitlines()[0], locked=True)
    add(v4.new_markdown_cell, GRADED, "grade cells", locked=True)
    for graded in grade_cells(course, exercise):
        source = _hidden(graded, exercise, hidden_tests) if graded.hidden else _public(graded, exercise)
        add(v4.new_code_cell, source, f"grade {graded.criterion}", locked=True, graded=graded)
    return _text(cells)


def lone_cell(source: str, name: str) -> str:
    """A notebook with one locked cell of prose, such as nbgrader puts before others."""
    cell = _nbformat().v4.new_markdown_cell(source, id=name)
    cell["metadata"] = {"nbgrader": _metadata(f"{name}-cell", locked=True)}
    return _text([cell])


def _text(cells: list[Any]) -> str:
    nbformat = _nbformat()
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    notebook = nbformat.v4.new_notebook(cells=cells, metadata=metadata)
    return str(nbformat.writes(notebook, indent=1, ensure_ascii=False)) + "\n"


def write_notebook(course: Course, exercise: Exercise, *, only_check: bool = False) -> bool:
    """Write the exercise's notebook; True if that changed (or would change) the file."""
    return write_if_changed(course.notebook(exercise), make_notebook(course, exercise), only_check=only_check)


def _definitions(
    module: str, names: Collection[str] | None = None, whole: Iterable[tuple[int, int]] = ()
) -> list[tuple[str, str]]:
    """A module's source, cut before each function and class with its comments and decorators; a name for each piece.

    With ``names``, only before these; never inside of lines that stay ``whole``, given as first and last.
    """
    lines = module.splitlines()
    whole = list(whole)
    cuts: list[tuple[int, str]] = [(0, "imports")]
    for node in ast.parse(module).body:
        if not isinstance(node, ast.FunctionDef | ast.ClassDef) or not (names is None or node.name in names):
            continue
        first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)]) - 1
        while first and lines[first - 1].startswith("#") and not any(end == first for _, end in whole):
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


def _public(graded: GradeCell, exercise: Exercise) -> str:
    return f"{_about(graded)}\n{_call(graded, exercise, 'check_cell')}"


def _hidden(graded: GradeCell, exercise: Exercise, hidden_tests: bool) -> str:
    about = f"{_about(graded)}\n# Hidden: your teacher's tests look at it."
    call = _call(graded, exercise, "check_hidden_cell")
    return f"{about}\n{BEGIN_HIDDEN}\n{call}\n{END_HIDDEN}" if hidden_tests else about


def _call(graded: GradeCell, exercise: Exercise, function: str) -> str:
    return f'from grader.student.cells import {function}\n\n{function}("{graded.criterion}", "{exercise.name}")'


def _about(graded: GradeCell) -> str:
    """Title, points and sentence as comments."""
    head = f"{graded.title} ({graded.points} point{'s' * (graded.points != 1)})"
    return "\n".join(f"# {line}" for line in (head, *textwrap.wrap(graded.sentence, 110)))


def _metadata(grade_id: str, *, locked: bool, graded: GradeCell | None = None) -> dict[str, Any]:
    return {
        "grade": graded is not None,
        "grade_id": grade_id,
        "locked": locked,
        **({"points": graded.points} if graded else {}),
        "schema_version": NBGRADER_SCHEMA,
        "solution": not locked,
        "task": False,
    }


def _nbformat() -> Any:
    try:
        import nbformat
    except ModuleNotFoundError:
        raise GraderError("Notebooks need nbformat. Run: pip install 'grader[notebooks]'") from None
    return nbformat
