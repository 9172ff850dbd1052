"""Files of the course in TOML that say which format they have: read once, the same way for all of them."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Protocol, TypeVar

import msgspec

from grader.errors import GraderError


class Table(Protocol):
    """What such a file says."""

    @property
    def format(self) -> int: ...


T = TypeVar("T", bound=Table)


def read_table(path: Path, kind: type[T], expected: int) -> T:
    """The file as this kind of record; a mistake in it, or another format, is told with the file's name."""
    try:
        found = msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), kind)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise GraderError(f"{path}: {error}") from error
    if found.format != expected:
        raise GraderError(f"{path}: format: found {found.format}, this grader reads {expected}.")
    return found
