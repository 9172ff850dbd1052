"""What an exercise forbids: it raises while the student's code runs, by whatever name or way it is called.

None of this is a boundary, as all of it happens in the student's own process. It stops those who take a short cut, not
those who take the worker apart; docs/security.md says what remains.
"""

from __future__ import annotations

import contextlib
import gc
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

KERNELS = "torch.ops."  # so begin the names of what torch computes with, below all of its functions
OF_ITS_OWN = 200  # bytes of code; shorter functions may be alike by chance
CODE_FROM_TEXT = {"compile", "marshal.loads", "code.__new__", "function.__new__"}  # what Python calls these events


class Forbidden:
    """Makes what an exercise forbids raise while the student's code runs, and only then."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = names
        self.active = False
        self.undo = contextlib.ExitStack()
        self.codes = {code: name for name in names for code in _codes(find_forbidden(name)[1])}

    def __enter__(self) -> None:
        self.active = True
        for name in self.names:
            owner, found = find_forbidden(name)
            if found is None:  # not imported, so not used
                continue
            if name.startswith(KERNELS):
                self.undo.callback(_replace_kernels(found, _refusal(name)))
            elif isinstance(found, type):  # spoilt itself, so that no other name for it helps
                self.undo.callback(setattr, found, "__init__", found.__init__)  # type: ignore[misc]
                found.__init__ = _refusal(name)  # type: ignore[misc]
            else:
                attribute = name.rpartition(".")[2]
                self.undo.callback(setattr, owner, attribute, found)
                setattr(owner, attribute, _refusal(name))

    def __exit__(self, *_: object) -> None:
        self.active = False
        self.undo.close()

    @contextlib.contextmanager
    def lifted(self) -> Iterator[None]:
        """While the judge's own code runs."""
        active = self.active
        self.__exit__()
        try:
            yield
        finally:
            if active:
                self.__enter__()

    def look_for_copies(self) -> None:
        """Raise if a function was made from the code of a forbidden one: read from its file, reloaded or pasted."""
        if not self.codes:
            return
        originals = {id(found) for name in self.names for found in _functions(find_forbidden(name)[1])}
        for found in gc.get_objects():  # in a worker these are the objects that came after the zygote
            if type(found) is types.FunctionType and id(found) not in originals:
                name = self.codes.get(found.__code__.co_code)
                if name:
                    raise RuntimeError(f"{name} is not allowed in this exercise, and neither is a copy of its code")


def refuse_code_from_text(files: set[str]) -> None:
    """From now on these files of the student's cannot make code from text, as ``exec`` and ``eval`` do."""

    def hook(event: str, _: object) -> None:
        if event in CODE_FROM_TEXT and sys._getframe(1).f_code.co_filename in files:
            raise RuntimeError("code made from text (exec, eval, compile) is not allowed in this exercise")

    sys.addaudithook(hook)


def find_forbidden(name: str) -> tuple[Any, Any]:
    """Where something forbidden stands, and what it is; None if that is not imported."""
    place, _, attribute = name.rpartition(".")
    owner = sys.modules.get(place)
    if name.startswith(KERNELS) and "torch" in sys.modules:
        owner = getattr(sys.modules["torch"].ops, place.removeprefix(KERNELS))
    return owner, getattr(owner, attribute, None)


def _functions(found: Any) -> Iterator[Any]:
    """A function, or those of a class."""
    for one in vars(found).values() if isinstance(found, type) else [found]:
        if isinstance(one, types.FunctionType):
            yield one


def _codes(found: Any) -> Iterator[bytes]:
    for function in _functions(found):
        if len(function.__code__.co_code) >= OF_ITS_OWN:
            yield function.__code__.co_code


def _replace_kernels(operator: Any, refusal: Callable[..., Any]) -> Callable[[], None]:
    """Put the refusal in the place of what torch runs for an operator; returns how to take it back."""
    library = sys.modules["torch"].library.Library("aten", "IMPL")
    for overload in operator.overloads():
        library.impl(f"{operator.__name__}.{overload}".removesuffix(".default"), refusal, "CPU", allow_override=True)
    undo: Callable[[], None] = library._destroy
    return undo


def _refusal(name: str) -> Callable[..., Any]:
    def refuse(*_: object, **__: object) -> None:
        raise RuntimeError(f"{name} is not allowed in this exercise")

    return refuse
