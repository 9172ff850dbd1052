"""The vocabulary between judge and student: plain data, and opaque handles to what stays on the far side.

Plain data is None, bool, int, float, str, list, tuple, dict with such keys, and tensors. Nothing else
crosses: no code, no pickle, no object that could decide a comparison.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec

from grader.wire.notebook import LeftOut

STAND_INS = "stand_ins"  # the folder of modules that stand in for a student's own


class Handle(msgspec.Struct, frozen=True):
    """Stands for an object that stays with the student; it says only what kind of thing it is."""

    id: int
    kind: str


class Callback(msgspec.Struct, frozen=True):
    """Stands for a function that stays with the judge; calling it asks the judge."""

    id: int


class Load(msgspec.Struct, frozen=True, kw_only=True):
    """Import the module ``name``; ``sources`` holds it and what it may import, as (file name, text)."""

    name: str
    sources: dict[str, tuple[str, bytes]]
    forbidden: tuple[str, ...] = ()  # what the student's code may not call, as "torch.nn.MultiheadAttention"
    simulate: bool = False  # switch the simulated accelerator on first
    wanted: tuple[str, ...] = ()  # the names that the exercise asks for; empty: any


class Look(msgspec.Struct, frozen=True, kw_only=True):
    """Look for these names in a source, and run nothing of it."""

    source: bytes
    names: tuple[str, ...]
    wanted: tuple[str, ...] = ()


class Survey(msgspec.Struct, frozen=True, kw_only=True):
    """Read these files of the student's, and run nothing of them; the answer is a ``Surveyed`` for each."""

    sources: dict[str, tuple[str, bytes]]
    name: str  # the main module
    modules: tuple[str, ...] = ()  # all that the student's code may import, those of the course included
    wanted: tuple[str, ...] = ()


class Surveyed(msgspec.Struct, frozen=True, kw_only=True):
    """What was read of one file."""

    module: str
    error: str = ""  # why it is not valid Python, in the parser's words
    line: int = 0  # where
    left_out: tuple[LeftOut, ...] = ()  # of a notebook
    absent: tuple[str, ...] = ()  # packages that it imports and that are not installed


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """Call ``target`` (a dotted name in the student's module, or behind a handle) and say what to bring back."""

    target: str
    handle: Handle | None = None
    module: str = ""  # look for the target there, not in the student's main module
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = {}
    arguments: bool = False  # the arguments as they are after the call
    gradients: bool = False  # of the summed result, for tensor arguments and a module's parameters
    memory: bool = False  # the most memory that the call took
    read: bool = False  # do not call it: bring back its value
    keep: bool = False  # bring back a handle, whatever the result is
    seed: int | None = None  # seed the generators that the student's code draws from first
    device: str = ""  # move tensor arguments there first


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """What a call brought back."""

    value: Any
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = {}
    gradients: tuple[Any, ...] = ()  # parallel to args
    parameters: dict[str, Any] = {}  # a module's gradients, by the parameter's name
    peak_bytes: int = 0
    devices: tuple[str, ...] = ()  # where each tensor in the value was


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """The student's code raised: the names of the exception's classes, its text, and the student's own lines."""

    types: tuple[str, ...]
    message: str
    frames: tuple[str, ...] = ()  # "ctc.py:31 in log_likelihood", outermost first


class NameMissing(msgspec.Struct, frozen=True, kw_only=True):
    """The name that was to be called does not exist."""

    name: str
    near: str = ""  # a name that does exist and looks like it


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """The student's code calls a function of the judge's."""

    function: int
    args: tuple[Any, ...]


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What that function returned."""

    value: Any


def without_defaults(message: msgspec.Struct) -> dict[str, Any]:
    """The fields of a message, without those that are as both sides take them to be."""
    defaults = _defaults(type(message))
    return {
        name: value
        for name, value in msgspec.structs.asdict(message).items()
        if name not in defaults or type(value) is not type(defaults[name]) or value != defaults[name]
    }


@cache
def _defaults(kind: type[msgspec.Struct]) -> dict[str, Any]:
    optional = [field for field in msgspec.structs.fields(kind) if not field.required]
    return {
        field.name: field.default_factory() if field.default is msgspec.NODEFAULT else field.default
        for field in optional
    }
