"""Looks at the student's source without running it, in a worker that runs nothing else: parsers are attacked too."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

UNREADABLE = ""  # in the place of a name: this file is not Python


def find_mentions(source: bytes, names: tuple[str, ...]) -> list[tuple[str, int]]:
    """Which of these names the source mentions, however they are imported, each with its line.

    What Python has built in counts as a plain name only: ``model.eval()`` and ``re.compile`` are something else.
    What stands below ``if __name__ == "__main__"`` does not count: there students compare themselves with torch.
    """
    try:
        tree = ast.parse(source)  # bytes: the encoding is the one that Python itself would take
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return [(UNREADABLE, 0)]
    nodes = list(_walk_imported(tree))
    own = {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    own |= {node.asname or node.name for node in nodes if isinstance(node, ast.alias) and hasattr(builtins, node.name)}
    found = []
    for node in nodes:
        name = _name(node)
        plain = isinstance(node, ast.Name)
        if name in names and not (plain and name in own) and (plain or not hasattr(builtins, name)):
            found.append((name, getattr(node, "lineno", 0)))
    return found


def _name(node: ast.AST) -> str:
    """The name that a node mentions, without what stands before its last dot."""
    found = {ast.Attribute: "attr", ast.Name: "id", ast.alias: "name", ast.ImportFrom: "module"}.get(type(node))
    return str(getattr(node, found)).rpartition(".")[2] if found else ""


def _walk_imported(tree: ast.AST) -> Iterator[ast.AST]:
    waiting = [tree]  # and no recursion: a long sum is a deep tree
    while waiting:
        node = waiting.pop()
        yield node
        waiting += (child for child in ast.iter_child_nodes(node) if not _when_run(child))


def _when_run(node: ast.AST) -> bool:
    test = node.test if isinstance(node, ast.If) else None
    return isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and test.left.id == "__name__"
