"""Packages that a student's file imports and that the course does not need, such as matplotlib.

People plot where they try things out, and the import stays at the top of the file. So it is not run where the code is
graded: the name stands for the package and is imported by the first use. What nothing uses costs no time, and no point
where it is not installed or does not work in a confined process.
"""

from __future__ import annotations

import ast
import importlib
import operator
import re
import sys
from collections.abc import Callable, Collection, Mapping
from typing import Any

import msgspec

from grader.worker.absent import find_absent

# What a worker has loaded, or has for certain: torch needs them.
AT_HAND = frozenset({"torch", "numpy", "typing_extensions"})
# At the start of a line, or after a semicolon: where an import stands that is not inside of anything.
IMPORT = re.compile(rb"(?:^|;)[ \t]*(?:import\b([^#;\r\n]*)|from[ \t]+([\w.]+))", re.MULTILINE)


class Binding(msgspec.Struct, frozen=True):
    """A name that an import binds."""

    modules: tuple[str, ...]  # that are imported for it
    root: str  # the module where the way to the object begins
    path: tuple[str, ...] = ()  # the way

    @property
    def package(self) -> str:
        return self.root.partition(".")[0]


class Split(msgspec.Struct, frozen=True):
    """An import of which a part, or all, is postponed."""

    rest: ast.stmt | None  # the import of what is at hand
    bindings: dict[str, Binding]


def may_be_postponed(source: bytes, modules: Collection[str]) -> bool:
    """Whether this text seems to import such a package at its top: quick, and wrong on one side only."""
    for several, one in IMPORT.findall(source):
        for name in [one] if one else several.split(b","):
            words = name.replace(b"\\", b"?").decode(errors="replace").split()
            if not words or not at_hand(words[0], modules):
                return True
            if words[0].partition(".")[0] in AT_HAND and words[0] not in sys.modules:
                return True  # torch.utils.tensorboard needs another package
    return False


def at_hand(name: str, modules: Collection[str]) -> bool:
    """Whether an import of this dotted name is run as it stands; ``modules`` are the student's and the course's."""
    first = name.partition(".")[0]
    return not first or first in modules or first in AT_HAND or first in sys.stdlib_module_names


def split_import(node: ast.stmt, modules: Collection[str]) -> Split | None:
    """What of an import is postponed; None if nothing is, or it is no import."""
    found = bindings_of(node)
    if not found or all(at_hand(binding.root, modules) for binding in found.values()):
        star = node.module if isinstance(node, ast.ImportFrom) and node.level == 0 and not found else ""
        return Split(None, {}) if star and find_absent(star, modules) else None
    postponed = {name: binding for name, binding in found.items() if not at_hand(binding.root, modules)}
    if not isinstance(node, ast.Import):
        return Split(None, postponed)
    there = [alias for alias in node.names if at_hand(alias.name, modules)]
    return Split(ast.copy_location(ast.Import(names=there), node) if there else None, postponed)


def bindings_of(node: ast.stmt) -> dict[str, Binding]:
    """The names that an import binds; none for any other statement, a star, and an import from the own folder."""
    found: dict[str, Binding] = {}
    if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
        for alias in node.names:
            if alias.name != "*":
                found[alias.asname or alias.name] = Binding((node.module,), node.module, (alias.name,))
    elif isinstance(node, ast.Import):
        for alias in node.names:
            first = alias.name.partition(".")[0]
            if alias.asname:
                found[alias.asname] = Binding((alias.name,), alias.name)
            else:
                before = found[first].modules if first in found else ()
                found[first] = Binding((*before, alias.name), first)
    return found


def only_sets_up(node: ast.stmt, names: Collection[str]) -> bool:
    """Whether a statement does nothing but set up such a package, as ``plt.style.use("ggplot")`` does."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Call) and _first_name(node.value.func) in names
    return isinstance(node, ast.Assign) and all(
        isinstance(target, ast.Attribute | ast.Subscript) and _first_name(target) in names for target in node.targets
    )


def _first_name(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def bind(names: dict[str, object], bindings: Mapping[str, Binding]) -> None:
    """Put the stand-ins into a module's namespace; ``import a.b`` after ``import a.c`` has both."""
    for name, new in bindings.items():
        old = names.get(name)
        before = binding_of(old) if isinstance(old, Postponed) else None
        if before and before.root == new.root and not before.path and not new.path:
            new = Binding((*before.modules, *new.modules), new.root)  # the same name, and more
        names[name] = Postponed(new)


class Postponed:
    """What a name stands for whose package is imported by the first use."""

    __slots__ = ("_binding",)

    def __init__(self, binding: Binding) -> None:
        object.__setattr__(self, "_binding", binding)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            return getattr(resolve(self), name)
        binding = binding_of(self)
        return Postponed(Binding(binding.modules, binding.root, (*binding.path, name)))

    def __setattr__(self, name: str, value: object) -> None:
        setattr(resolve(self), name, value)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return resolve(self)(*args, **kwargs)

    def __mro_entries__(self, bases: object) -> tuple[Any, ...]:
        return (resolve(self),)

    def __getitem__(self, key: Any) -> Any:
        return self._in_a_type(lambda found: found[key])

    def __or__(self, other: Any) -> Any:
        return self._in_a_type(lambda found: found | other)

    def __ror__(self, other: Any) -> Any:
        return self._in_a_type(lambda found: other | found)

    def _in_a_type(self, use: Callable[[Any], Any]) -> Any:
        """``Axes | None`` and ``Float[Tensor]`` stand in signatures, and do no harm there without the package."""
        try:
            found = resolve(self)
        except ImportError:
            return self
        return use(found)

    def __repr__(self) -> str:
        binding = binding_of(self)
        return f"<{'.'.join((binding.root, *binding.path))}, not imported yet>"


def binding_of(stand_in: Postponed) -> Binding:
    found: Binding = object.__getattribute__(stand_in, "_binding")
    return found


def resolve(stand_in: Postponed) -> Any:
    """The object itself; ImportError with words for students if its package does not work here."""
    binding = binding_of(stand_in)
    try:
        for module in binding.modules:
            importlib.import_module(module)
    except Exception as error:
        package = absent_for(error) or find_absent(binding.root, ())
        if package:
            raise ModuleNotFoundError(f"{package} is not installed where your code is graded", name=package) from None
        why = f"{binding.package} cannot be imported where your code is graded ({type(error).__name__})"
        raise ImportError(why, name=binding.package) from error
    found: Any = sys.modules[binding.root]
    for index, name in enumerate(binding.path):
        if index == 0 and not hasattr(found, name) and hasattr(found, "__path__"):
            importlib.import_module(f"{binding.root}.{name}")  # ``from package import module``
        found = getattr(found, name)
    return found


def absent_for(error: Exception) -> str:
    """The package that is not installed and without which an import failed; empty if that is not why."""
    return find_absent(error.name, ()) if isinstance(error, ModuleNotFoundError) and error.name else ""


def _add_uses() -> None:
    """Special methods are looked up in the class, so each that a use may call stands there."""
    direct: dict[str, Callable[..., Any]] = {
        "setitem": operator.setitem, "delitem": operator.delitem, "iter": iter, "next": next, "len": len, "bool": bool,
        "contains": operator.contains, "index": operator.index, "int": int, "float": float, "neg": operator.neg,
        "pos": operator.pos, "abs": operator.abs, "invert": operator.invert, "lt": operator.lt, "le": operator.le,
        "gt": operator.gt, "ge": operator.ge, "instancecheck": lambda kind, value: isinstance(value, kind),
        "subclasscheck": lambda kind, value: issubclass(value, kind),
    }  # fmt: skip
    for name in ("enter", "exit", "await"):
        direct[name] = lambda found, *args, _name=f"__{name}__": getattr(type(found), _name)(found, *args)
    for name in ("add", "sub", "mul", "matmul", "truediv", "floordiv", "mod", "pow", "lshift", "rshift", "and", "xor"):
        operate = getattr(operator, f"__{name}__")
        direct[name] = operate
        direct[f"r{name}"] = lambda found, other, _operate=operate: _operate(other, found)
    for name, use in direct.items():
        setattr(Postponed, f"__{name}__", lambda self, *args, _use=use: _use(resolve(self), *args))


_add_uses()
