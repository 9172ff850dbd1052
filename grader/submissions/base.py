"""What every layout of submissions is turned into."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import msgspec

MAX_SOURCE = 1 << 20  # bytes of one file


class Submission(msgspec.Struct, frozen=True, kw_only=True):
    """One student's files: for each exercise that was handed in, the file that holds its main module."""

    student: str
    files: dict[str, Path]


def read_source(path: Path) -> tuple[bytes, str]:
    """(content, "") of a student's file, or (nothing, why it cannot be used); links and devices are not opened."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError as error:
        return b"", f"{path.name} cannot be read ({error.strerror})."
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return b"", f"{path.name} is no ordinary file."
        if status.st_size > MAX_SOURCE:
            return b"", f"{path.name} has {status.st_size} bytes; more than {MAX_SOURCE} are not read."
        return file.read(MAX_SOURCE), ""
