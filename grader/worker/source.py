"""Looks at the student's source without running it, in a worker that runs nothing else: parsers are attacked too.

What such a worker says may be shown to students. It has met nothing but their own files.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator

from grader.wire.messages import Survey, Surveyed
from grader.wire.notebook import is_notebook
from grader.worker.absent import find_absent
from grader.worker.notebook import read_notebook
from grader.worker.program import roots_of

UNREADABLE = ""  # in the place of a name: this file is not Python
MAX_ERROR = 200  # characters
MAX_LEFT_OUT = 2_000
MAX_ABSENT = 20


def find_mentions(source: bytes, names: tuple[str, ...], wanted: tuple[str, ...] = ()) -> list[tuple[str, int]]:
    """Which of these names the source mentions, however they are imported, each with its line.

    What Python has built in counts as a plain name only: ``model.eval()`` and ``re.compile`` are something else.
    What stands below ``if __name__ == "__main__"`` does not count: there students compare themselves with torch. Of a
    notebook only what the exercise needs counts.
    """
    try:
        trees = _read(source, wanted)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return [(UNREADABLE, 0)]
    nodes = list(_walk_imported(trees))
    own = {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    own |= {node.asname or node.name for node in nodes if isinstance(node, ast.alias) and hasattr(builtins, node.name)}
    found = []
    for node in nodes:
        name = _name(node)
        plain = isinstance(node, ast.Name)
        if name in names and not (plain and name in own) and (plain or not hasattr(builtins, name)):
            found.append((name, getattr(node, "lineno", 0)))
    return found


def _read(source: bytes, wanted: tuple[str, ...]) -> list[ast.AST]:
    if is_notebook(source):
        statements = read_notebook(source, "", wanted or None).statements
        return [statement.node for statement in statements if statement.needed]
    return [ast.parse(source)]  # bytes: the encoding is the one that Python itself would take


def _name(node: ast.AST) -> str:
    """The name that a node mentions, without what stands before its last dot."""
    found = {ast.Attribute: "attr", ast.Name: "id", ast.alias: "name", ast.ImportFrom: "module"}.get(type(node))
    return str(getattr(node, found)).rpartition(".")[2] if found else ""


def _walk_imported(trees: Iterable[ast.AST]) -> Iterator[ast.AST]:
    waiting = [tree for tree in trees if not _when_run(tree)]  # and no recursion: a long sum is a deep tree
    while waiting:
        node = waiting.pop()
        yield node
        waiting += (child for child in ast.iter_child_nodes(node) if not _when_run(child))


def _when_run(node: ast.AST) -> bool:
    test = node.test if isinstance(node, ast.If) else None
    return isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and test.left.id == "__name__"


def survey(asked: Survey) -> list[Surveyed]:
    """For each file: why it is not valid Python, or what is left out of it and which packages it misses."""
    return [_survey_one(asked, name) for name in asked.sources]


def _survey_one(asked: Survey, name: str) -> Surveyed:
    filename, source = asked.sources[name]
    try:
        if is_notebook(source):
            reading = read_notebook(source, filename, roots_of(name, asked.sources, asked.name, asked.wanted))
            nodes, left_out = [statement.node for statement in reading.statements], reading.left_out
        else:
            compile(source, filename, "exec", dont_inherit=True)
            nodes, left_out = ast.parse(source).body, ()
    except SyntaxError as error:
        return Surveyed(module=name, error=_text(str(error.msg)), line=error.lineno or 0)
    except Exception as error:
        return Surveyed(module=name, error=f"cannot be read as Python ({type(error).__name__})")
    absent = dict.fromkeys(
        package for node in nodes for name in _imported(node) if (package := find_absent(name, asked.modules))
    )
    return Surveyed(module=name, left_out=left_out[:MAX_LEFT_OUT], absent=tuple(absent)[:MAX_ABSENT])


def _imported(node: ast.stmt) -> list[str]:
    """The modules that a statement imports."""
    if isinstance(node, ast.ImportFrom):
        return [node.module] if node.module and node.level == 0 else []
    return [alias.name for alias in node.names] if isinstance(node, ast.Import) else []


def _text(message: str) -> str:
    """Half of a character can stand in a source, and in the parser's words for it, but not on the wire."""
    return message[:MAX_ERROR].encode(errors="backslashreplace").decode()
