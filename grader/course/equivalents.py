"""``solutions/equivalents/<name>.toml``: mutants that do what the solution does, so that no suite can kill them."""

from __future__ import annotations

from pathlib import Path

import msgspec

from grader.course.tables import read_table
from grader.errors import GraderError

FORMAT = 1


class Equivalent(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A change that changes nothing: in which function, which line becomes what, and why that is the same."""

    function: str = ""
    line: str  # without its comment, as `grader validate --mutate` shows it
    becomes: str
    nth: int = 1  # where a function has several such changes
    reason: str


class Equivalents(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one file says."""

    format: int
    not_mutated: str = ""  # why mutants of this solution prove nothing, if so; then none are made
    equivalent: tuple[Equivalent, ...] = ()


NONE = Equivalents(format=FORMAT)


def load_equivalents(path: Path) -> Equivalents:
    """The equivalents in this file; none where there is no file."""
    if not path.is_file():
        return NONE
    found = read_table(path, Equivalents, FORMAT)
    for one in found.equivalent:
        if not one.reason.strip():
            raise GraderError(f"{path}: {one.line!r} → {one.becomes!r}: say why they do the same (reason).")
    return found
