"""From a solution to the stub that students get: the marked regions go, and every trace of them.

Inside a function a region becomes ``raise NotImplementedError``; elsewhere (a helper of the solution's own) it
vanishes. Imports that only the solution used would be hints, so they vanish too; imports of the student's own modules
stay, because the handout shows them.
"""

from __future__ import annotations

import ast
from collections.abc import Collection
from pathlib import Path

from grader.course import Course, Exercise
from grader.course.marks import Region, find_regions
from grader.errors import GraderError, MarkError

UNDONE = "raise NotImplementedError"


def is_untouched(text: str, stub: str) -> bool:
    """Whether nothing was written into the stub, or the notebook of it."""
    return text == stub or text.count(UNDONE) >= stub.count(UNDONE)


def make_stub(source: str, path: Path, builds_on: Collection[str] = ()) -> str:
    """The stub for a solution; ``path`` is where the solution stands, for messages.

    Imports from the modules in ``builds_on`` stay, used or not.
    """
    regions = find_regions(source, path)
    if not regions:
        raise MarkError(path, 1, "has no '### BEGIN SOLUTION': students would get the whole solution.")
    try:
        solution = ast.parse(source)
    except SyntaxError as error:
        raise MarkError(path, error.lineno or 1, f"is not valid Python: {error.msg}") from error
    lines = source.splitlines()
    stub: list[str] = []
    after = 0
    for region in regions:
        stub += lines[after : region.begin - 1]
        function = _enclosing(solution, region)
        if function:
            stub.append(f'{region.indent}raise NotImplementedError("{function} is yours to write")')
        after = region.end
    stub += lines[after:]
    text = "\n".join(stub) + "\n"
    try:
        text = _without_unused_imports(text, solution, builds_on)
        ast.parse(text)
    except SyntaxError as error:
        raise MarkError(
            path,
            regions[0].begin,
            f"without the marked regions this is not valid Python ({error.msg}); mark whole statements.",
        ) from error
    return _tidy(text)


def course_stub(course: Course, exercise: Exercise) -> str:
    solution = course.solution(exercise)
    if not solution.is_file():
        raise GraderError(f"{solution}: not found; write the solution of {exercise.name!r} there.")
    return make_stub(solution.read_text(encoding="utf-8"), solution, exercise.builds_on)


def _enclosing(tree: ast.Module, region: Region) -> str:
    """The qualified name of the innermost function whose body holds the region, or nothing."""
    found = ""

    def visit(node: ast.AST, path: list[str], inside: bool) -> None:
        nonlocal found
        if inside:
            found = ".".join(path)
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                continue
            if child.lineno <= region.begin and region.end <= _last_line(child, region):
                visit(child, [*path, child.name], not isinstance(child, ast.ClassDef))

    visit(tree, [], False)
    return found


def _last_line(node: ast.stmt, region: Region) -> int:
    """A closing mark may be the last line of its function, where the syntax tree sees no comment."""
    end = node.end_lineno or 0
    deeper = len(region.indent) > node.col_offset
    return region.end if deeper and region.begin <= end else end


def _without_unused_imports(stub: str, solution: ast.Module, builds_on: Collection[str]) -> str:
    """Drop imported names that the solution uses and the stub does not, except from ``builds_on``."""
    tree = ast.parse(stub)
    gone = _used(solution) - _used(tree)
    lines = stub.splitlines()
    for node in sorted(_imports(tree), key=lambda n: -n.lineno):
        if isinstance(node, ast.ImportFrom) and node.module in builds_on:
            continue
        kept = [alias for alias in node.names if _bound(alias) not in gone]
        if len(kept) == len(node.names):
            continue
        indent = lines[node.lineno - 1][: node.col_offset]
        node.names = kept
        lines[node.lineno - 1 : node.end_lineno] = [indent + ast.unparse(node)] if kept else []
        around = lines[max(0, node.lineno - 2) : node.lineno]
        if not kept and around == ["", ""]:  # its group of imports is gone, so is the line that parted it
            del lines[node.lineno - 1]
    return "\n".join(lines) + "\n"


def _imports(tree: ast.Module) -> list[ast.Import | ast.ImportFrom]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]


def _bound(alias: ast.alias) -> str:
    return alias.asname or alias.name.partition(".")[0]


def _used(tree: ast.Module) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def _tidy(text: str) -> str:
    """No more than two blank lines in a row, none at the end: a removed region leaves no hole."""
    lines: list[str] = []
    for line in text.splitlines():
        if line.strip() or (lines and lines[-2:] != ["", ""]):
            lines.append(line.rstrip())
    return "\n".join(lines).rstrip("\n") + "\n"
