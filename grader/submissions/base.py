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
    folder: Path | None = None  # all that the student made lies below; the folder itself is no link
    origin: Origin = Origin()  # what else is known of it


class Layout(Protocol):
    """A way in which submissions arrive."""

    name: str

    def recognises(self, path: Path) -> bool:
        """Whether what lies there looks like it."""

    def read(self, path: Path, course: Course, stub_of: Callable[[Exercise], str]) -> tuple[Submission, ...]:
        """The submissions, sorted by student; ``stub_of`` makes an exercise's stub anew."""


def read_source(path: Path, folder: Path | None = None) -> tuple[bytes, str]:
    """(content, "") of a student's module or notebook, or (nothing, why it cannot be used).

    No link is followed: neither the file, nor any folder on the way to it from the student's ``folder``.
    """
    if path.suffix != SUFFIX:
        return _read(path, folder, MAX_SOURCE)
    content, why = _read(path, folder, MAX_NOTEBOOK)
    if why:
        return b"", why
    try:
        source = notebook_source(content).encode(errors="backslashreplace")
    except NotebookError as error:
        return b"", f"{path.name} {error}"
    return (source, "") if len(source) <= MAX_SOURCE else (b"", _too_large(path, len(source), MAX_SOURCE))


def open_below(path: Path, folder: Path | None) -> int:
    """A descriptor of the file, reached from ``folder`` step by step, so that nobody can slip a link in between."""
    no_link = getattr(os, "O_NOFOLLOW", 0)
    flags = os.O_RDONLY | no_link | getattr(os, "O_NONBLOCK", 0)
    if folder is None or os.open not in os.supports_dir_fd:
        return os.open(path, flags)
    *steps, name = path.relative_to(folder.parent).parts
    here = os.open(folder.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for step in steps:
            below = os.open(step, os.O_RDONLY | os.O_DIRECTORY | no_link, dir_fd=here)
            os.close(here)
            here = below
        return os.open(name, flags, dir_fd=here)
    finally:
        os.close(here)


def _read(path: Path, folder: Path | None, limit: int) -> tuple[bytes, str]:
    try:
        descriptor = open_below(path, folder)
    except OSError as error:
        return b"", f"{path.name} cannot be read ({error.strerror})."
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        os.close(descriptor)
        return b"", f"{path.name} is not an ordinary file."
    with os.fdopen(descriptor, "rb") as file:
        if status.st_size > limit:
            return b"", _too_large(path, status.st_size, limit)
        return file.read(limit), ""


def _too_large(path: Path, size: int, limit: int) -> str:
    return f"{path.name} has {size} bytes; more than {limit} are not read."
