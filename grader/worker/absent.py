"""Packages that a student's file imports and that are not installed here, such as matplotlib.

An import at the top of a file does no harm until something needs it: people plot where they try things out. So the name
stands for an absent module, and whoever uses it gets the error that the import would have raised.
"""

from __future__ import annotations

import ast
import importlib.util
import re
import sys
from collections.abc import Callable, Collection
from typing import Any

import msgspec

# At the start of a line, or after a semicolon: where an import stands that is not inside of anything.
IMPORT = re.compile(rb"(?:^|;)[ \t]*(?:import\b([^#;\r\n]*)|from[ \t]+([\w.]+))", re.MULTILINE)
USES = (
    "call", "getitem", "setitem", "delitem", "iter", "next", "len", "bool", "contains", "enter", "exit", "mro_entries",
    "instancecheck", "subclasscheck", "index", "int", "float", "neg", "pos", "abs", "invert", "await",
    "lt", "le", "gt", "ge",
)  # fmt: skip
OPERATORS = (
    "add", "sub", "mul", "matmul", "truediv", "floordiv", "mod", "pow", "lshift", "rshift", "and", "or", "xor",
)  # fmt: skip


def _refuse(self: Any, *_: object, **__: object) -> Any:
    package = object.__getattribute__(self, "_package")
    raise ModuleNotFoundError(f"{package} is not installed where your code is graded", name=package)


def _use(name: str) -> Callable[..., Any]:
    def use(self: Any, *args: object, **kwargs: object) -> Any:
        return _refuse(self, *args, **kwargs)

    use.__name__ = name
    return use


class _Absent:
    """What a name stands for whose package is not here."""

    __slots__ = ("_package",)

    def __init__(self, package: str) -> None:
        object.__setattr__(self, "_package", package)

    def __getattr__(self, name: str) -> Any:
        return _refuse(self)

    def __setattr__(self, name: str, value: object) -> None:
        _refuse(self)

    def __repr__(self) -> str:
        return f"<{object.__getattribute__(self, '_package')}, which is not installed>"


for _name in (*USES, *OPERATORS, *(f"r{name}" for name in OPERATORS)):
    setattr(_Absent, f"__{_name}__", _use(f"__{_name}__"))


def absent_module(package: str) -> Any:
    """An object that can be imported and not used."""
    return _Absent(package)


class Split(msgspec.Struct, frozen=True):
    """An import of which a part is absent."""

    rest: ast.stmt | None  # the import of what is there
    absent: dict[str, str]  # the name that is bound -> its package
    packages: tuple[str, ...]


def may_be_absent(source: bytes, modules: Collection[str]) -> bool:
    """Whether something that this text seems to import at its top is not here: quick, and wrong on one side only."""
    for several, one in IMPORT.findall(source):
        for name in [one] if one else several.split(b","):
            words = name.replace(b"\\", b"?").split()
            if not words or find_absent(words[0].decode(errors="replace"), modules):
                return True
    return False


def split_import(node: ast.stmt, modules: Collection[str]) -> Split | None:
    """What of an import is absent; None if nothing is, or it is no import."""
    if isinstance(node, ast.ImportFrom):
        package = find_absent(node.module or "", modules) if node.level == 0 else ""
        if not package:
            return None
        names = [alias.asname or alias.name for alias in node.names if alias.name != "*"]
        return Split(None, dict.fromkeys(names, package), (package,))
    if not isinstance(node, ast.Import):
        return None
    absent: dict[str, str] = {}
    there = []
    for alias in node.names:
        if package := find_absent(alias.name, modules):
            absent[alias.asname or alias.name.partition(".")[0]] = package
        else:
            there.append(alias)
    if not absent:
        return None
    rest = ast.copy_location(ast.Import(names=there), node) if there else None
    return Split(rest, absent, tuple(dict.fromkeys(absent.values())))


def find_absent(name: str, modules: Collection[str]) -> str:
    """The package that is missing for the import of this dotted name; nothing if it is here, or may be.

    ``modules`` are the student's own and those of the course. Only a package that is missing as a whole counts: of an
    installed one, a part that does not exist is a mistake.
    """
    first, _, rest = name.partition(".")
    if not first or first in modules or first in sys.stdlib_module_names:
        return ""
    if first in sys.modules:
        return _absent_part(first, rest) if getattr(sys.modules[first], "__file__", None) is None else ""
    try:
        spec = importlib.util.find_spec(first)
    except (ImportError, ValueError, AttributeError):
        return ""
    if spec is None:
        return first
    return _absent_part(first, rest) if spec.origin is None else ""


def _absent_part(first: str, rest: str) -> str:
    """Of a folder that several packages share, such as ``google``: the part that is missing."""
    if not rest:
        return ""
    part = f"{first}.{rest.partition('.')[0]}"
    try:
        return part if importlib.util.find_spec(part) is None else ""
    except (ImportError, ValueError, AttributeError):
        return ""
