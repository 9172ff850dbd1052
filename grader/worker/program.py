"""From the source of a student's module to what is run when it is imported, in steps."""

from __future__ import annotations

import ast
import importlib.util
import types
from collections.abc import Collection, Iterable, Iterator, Mapping

import msgspec

from grader.wire.notebook import is_notebook
from grader.worker.absent import absent_module, may_be_absent, split_import
from grader.worker.notebook import compile_statements, future_flags, read_notebook

Source = tuple[str, bytes]  # (file name, text)


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a module."""

    code: types.CodeType | None = None
    optional: bool = False  # if it raises, the module goes on without it
    absent: dict[str, str] = {}  # names that stand for packages which are not installed


def make_program(
    source: bytes, filename: str, *, roots: Collection[str] | None, modules: Collection[str]
) -> list[Step]:
    """The steps of a student's own module; SyntaxError if it is not valid Python."""
    if is_notebook(source):
        reading = read_notebook(source, filename, roots)
        steps = []
        for statement in reading.statements:
            whole = Step(code=statement.code, optional=statement.optional)
            steps += _without_absent(statement.node, filename, reading.flags, modules, whole)
        return steps
    if not may_be_absent(source, modules):
        return [Step(code=compile(source, filename, "exec", dont_inherit=True))]
    body = ast.parse(source, filename).body
    flags = future_flags(body)
    steps = []
    waiting: list[ast.stmt] = []  # what can be run at once
    for node in [*body, None]:
        split = split_import(node, modules) if node is not None else None
        if node is not None and split is None:
            waiting.append(node)
            continue
        if waiting:
            steps.append(Step(code=compile_statements(waiting, filename, flags)))
            waiting = []
        if node is not None:
            steps += _without_absent(node, filename, flags, modules, Step())
    return steps


def _without_absent(node: ast.stmt, filename: str, flags: int, modules: Collection[str], whole: Step) -> list[Step]:
    """The statement as one step, or if it imports something that is not here, as the steps that do the rest."""
    split = split_import(node, modules)
    if split is None:
        return [whole]
    steps = [Step(absent=split.absent)]
    if split.rest:
        code = compile_statements([split.rest], filename, flags)
        steps.insert(0, msgspec.structs.replace(whole, code=code))
    return steps


def run_program(steps: Iterable[Step], names: dict[str, object]) -> None:
    """Run a module's steps in its namespace."""
    for step in steps:
        for name, package in step.absent.items():
            names[name] = absent_module(package)
        if step.code is None:
            continue
        try:
            exec(step.code, names)  # noqa: S102  # running the student's code is what this is for
        except Exception:
            if not step.optional:
                raise


def roots_of(module: str, sources: Mapping[str, Source], main: str, wanted: Collection[str]) -> Collection[str] | None:
    """The names that the exercise and the other modules ask of a module; None if that may be any."""
    asked = names_asked_of(module, sources)
    if asked is None or (module == main and not wanted):
        return None
    return {*wanted, *asked}


def names_asked_of(module: str, sources: Mapping[str, Source]) -> Collection[str] | None:
    """What the other modules import from this one; None if that may be anything."""
    found: set[str] = set()
    for name, (_, source) in sources.items():
        nodes = list(_parsed(source)) if name != module else []
        imports = [alias for node in nodes if isinstance(node, ast.Import) for alias in node.names]
        own_names = {alias.asname or alias.name for alias in imports if alias.name == module}
        for node in nodes:
            if isinstance(node, ast.ImportFrom) and node.module == module and node.level == 0:
                found |= {alias.name for alias in node.names}
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in own_names:
                found.add(node.attr)
    return None if "*" in found else found


def _parsed(source: bytes) -> Iterator[ast.AST]:
    """All nodes of what is run of a module; nothing if it is not valid Python, which whoever runs it will say."""
    try:
        if is_notebook(source):
            trees: list[ast.AST] = [statement.node for statement in read_notebook(source, "", None).statements]
        else:
            trees = [ast.parse(importlib.util.decode_source(source))]
    except Exception:
        return
    for tree in trees:
        yield from ast.walk(tree)
