"""From the source of a student's module to what is run when it is imported, in steps."""

from __future__ import annotations

import ast
import importlib.util
import types
from collections.abc import Collection, Iterable, Iterator, Mapping

import msgspec

from grader.wire.notebook import is_notebook
from grader.worker.absent import find_absent
from grader.worker.notebook import compile_statements, future_flags, read_notebook
from grader.worker.postponed import (
    Binding,
    absent_for,
    bind,
    bindings_of,
    may_be_postponed,
    only_sets_up,
    split_import,
)

Source = tuple[str, bytes]  # (file name, text)


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a module."""

    code: types.CodeType | None = None
    optional: bool = False  # if it raises, the module goes on without it
    postponed: dict[str, Binding] = {}  # names that are bound after it, and imported by their first use
    instead: dict[str, Binding] = {}  # the same, if it is an import that fails for want of another package


def make_program(
    source: bytes, filename: str, *, roots: Collection[str] | None, modules: Collection[str]
) -> list[Step]:
    """The steps of a student's own module; SyntaxError if it is not valid Python."""
    if is_notebook(source):
        reading = read_notebook(source, filename, roots)
        steps = []
        for statement in reading.statements:
            whole = Step(code=statement.code, optional=statement.optional, instead=bindings_of(statement.node))
            steps += _postpone(statement.node, filename, reading.flags, modules, whole)
        return steps
    if not may_be_postponed(source, modules):
        return [Step(code=compile(source, filename, "exec", dont_inherit=True))]
    compile(source, filename, "exec", dont_inherit=True)  # what is wrong further down is said before anything is run
    body = ast.parse(source, filename).body
    flags = future_flags(body)
    steps = []
    waiting: list[ast.stmt] = []  # what can be run at once
    strange: set[str] = set()  # names of postponed packages
    for node in body:
        split = split_import(node, modules)
        apart = split is not None or bool(bindings_of(node)) or only_sets_up(node, strange)
        if not apart:
            waiting.append(node)
            continue
        if waiting:
            steps.append(Step(code=compile_statements(waiting, filename, flags)))
            waiting = []
        strange |= split.bindings.keys() if split else set()
        code = compile_statements([node], filename, flags)
        whole = Step(code=code, optional=not bindings_of(node), instead=bindings_of(node))
        steps += _postpone(node, filename, flags, modules, whole)
    if waiting:
        steps.append(Step(code=compile_statements(waiting, filename, flags)))
    return steps


def _postpone(node: ast.stmt, filename: str, flags: int, modules: Collection[str], whole: Step) -> list[Step]:
    """The statement as one step, or if it imports what can wait, as the steps that do the rest."""
    split = split_import(node, modules)
    if split is None:
        return [whole]
    steps = [Step(postponed=split.bindings)]
    if split.rest:
        code = compile_statements([split.rest], filename, flags)
        steps.insert(0, msgspec.structs.replace(whole, code=code, instead=bindings_of(split.rest)))
    return steps


def run_program(steps: Iterable[Step], names: dict[str, object]) -> None:
    """Run a module's steps in its namespace."""
    for step in steps:
        bind(names, step.postponed)
        if step.code is None:
            continue
        try:
            exec(step.code, names)  # noqa: S102  # running the student's code is what this is for
        except Exception as error:
            if step.instead and absent_for(error):  # torch.utils.tensorboard, without tensorboard
                bind(names, step.instead)
            elif not step.optional:
                raise


def misses_package(steps: Iterable[Step]) -> bool:
    """Whether something that these steps import is not installed."""
    return any(find_absent(binding.root, ()) != "" for step in steps for binding in step.postponed.values()) or any(
        step.code is None and not step.postponed for step in steps
    )  # a star


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
