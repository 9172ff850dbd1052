"""What every layout of submissions is turned into."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import msgspec

from grader.course import Course, Exercise
from grader.results.schema import Origin
from grader.submissions.notebook import SUFFIX, NotebookError, notebook_source

MAX_SOURCE = 1 << 20  # bytes of one file
MAX_NOTEBOOK = 20 << 20  # it may hold pictures; its code alone counts as the source


class Submission(msgspec.Struct, frozen=True, kw_only=True):
    """One student's files: for each exercise that was handed in, the file that holds its main module."""

    student: str
    files: dict[str, Path]
    origin: Origin = Origin()  # what else is known of it


class Layout(Protocol):
    """A way in which submissions arrive."""

    name: str

    def recognises(self, path: Path) -> bool:
        """Whether what lies there looks like it."""

    def read(self, path: Path, course: Course, stub_of: Callable[[Exercise], str]) -> tuple[Submission, ...]:
        """The submissions, sorted by student; ``stub_of`` makes an exercise's stub anew."""


def read_source(path: Path) -> tuple[bytes, str]:
    """(content, "") of a student's module or notebook, or (nothing, why it cannot be used); links are not followed."""
    if path.suffix != SUFFIX:
        return _read(path, MAX_SOURCE)
    content, why = _read(path, MAX_NOTEBOOK)
    if why:
        return b"", why
    try:
        source = notebook_source(content).encode(errors="backslashreplace")
    except NotebookError as error:
        return b"", f"{path.name} {error}"
    return (source, "") if len(source) <= MAX_SOURCE else (b"", _too_large(path, len(source), MAX_SOURCE))


def _read(path: Path, limit: int) -> tuple[bytes, str]:
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError as error:
        return b"", f"{path.name} cannot be read ({error.strerror})."
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return b"", f"{path.name} is not an ordinary file."
        if status.st_size > limit:
            return b"", _too_large(path, status.st_size, limit)
        return file.read(limit), ""


def _too_large(path: Path, size: int, limit: int) -> str:
    return f"{path.name} has {size} bytes; more than {limit} are not read."
