"""Which modules of the grader students get: their commands, pytest's plugin, and all that these import."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import click

import grader

ROOT = Path(grader.__file__).parent
ALSO = ("grader.__main__", "grader.pytest_plugin", "grader.judge.plugin", "grader.student.summary")
COMMANDS = '''\
"""The command ``grader`` as students have it: one file per command."""

from grader.cli.base import main
{imports}

COMMANDS = ({names})

for command in COMMANDS:
    main.add_command(command)

__all__ = ["COMMANDS", "main"]
'''


def student_modules(commands: tuple[click.Command, ...]) -> dict[str, Path]:
    """The modules by their names."""
    found: dict[str, Path] = {}
    waiting = [*ALSO, *(_module_of(command) for command in commands)]
    while waiting:
        name = waiting.pop()
        path = _file(name)
        if name in found or path is None:
            continue
        found[name] = path
        steps = name.split(".")
        waiting += [".".join(steps[:count]) for count in range(1, len(steps))]
        if name != "grader.cli":  # its list of commands is written anew
            waiting += _imports(path)
    return found


def student_part(commands: tuple[click.Command, ...]) -> dict[str, bytes]:
    """The files, by their paths beside ``grader/``."""
    files = {path.relative_to(ROOT.parent).as_posix(): path.read_bytes() for path in student_modules(commands).values()}
    modules = {command.callback.__name__: _module_of(command) for command in commands if command.callback}
    names = sorted(modules)
    text = COMMANDS.format(
        imports="\n".join(f"from {modules[name]} import {name}" for name in names), names=", ".join(names) + ","
    )
    return {**files, "grader/cli/__init__.py": text.encode(), "grader/py.typed": b""}


def _module_of(command: click.Command) -> str:
    return str(getattr(command.callback, "__module__", ""))


def _file(name: str) -> Path | None:
    path = ROOT.parent.joinpath(*name.split("."))
    return next((file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()), None)


def _imports(path: Path) -> list[str]:
    found: list[str] = []
    for node in _walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.ImportFrom) and node.module:
            found += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
    return [name for name in found if name.partition(".")[0] == "grader"]


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    """Everything but what only a type checker reads."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and isinstance(child.test, ast.Name) and child.test.id == "TYPE_CHECKING":
            continue
        yield child
        yield from _walk(child)
