"""What an exercise forbids, looked for in the student's source; at run time the worker refuses it too."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from grader.judge.suite.compare import Mismatch
from grader.judge.suite.student import Student, source_of

MAX_SOURCE = 100_000  # characters


def assert_not_used(student: Student, *names: str) -> None:
    """The student's source mentions none of these names (``MultiheadAttention``), however they are imported."""
    source = source_of(student)
    if len(source) > MAX_SOURCE:  # parsing takes quadratic time at worst, and no clock can stop it
        problem = f"Your file has more than {MAX_SOURCE} characters: too many to look for what is not allowed."
        raise Mismatch(problem, problem)
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return  # it cannot be imported either, which other tests say
    own = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    for node in _walk_imported(tree):
        name = _name(node)
        if name in names and not (isinstance(node, ast.Name) and name in own):
            line = getattr(node, "lineno", 0)
            raise Mismatch(
                f"{name} is not allowed in this exercise (line {line}).", f"{name} is not allowed (line {line})."
            )


def _name(node: ast.AST) -> str:
    """The name that a node mentions, without what stands before its last dot."""
    found = {ast.Attribute: "attr", ast.Name: "id", ast.alias: "name"}.get(type(node))
    return str(getattr(node, found)).rpartition(".")[2] if found else ""


def _walk_imported(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those below ``if __name__ == "__main__"``, where students compare themselves with torch."""
    waiting = [tree]  # and no recursion: a long sum is a deep tree
    while waiting:
        node = waiting.pop()
        yield node
        waiting += (child for child in ast.iter_child_nodes(node) if not _when_run(child))


def _when_run(node: ast.AST) -> bool:
    test = node.test if isinstance(node, ast.If) else None
    return isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and test.left.id == "__name__"
