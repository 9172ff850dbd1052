"""Write a file whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from grader.errors import SubmissionError


def write_atomically(path: Path, text: str) -> None:
    """Readers see the old file or the new one, never half of one."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_text(text, encoding="utf-8", newline="")
        temporary.replace(path)
    except OSError as error:
        raise _cannot_write(path, error) from error


def make_folder(folder: Path) -> None:
    """Make the folder for results, and find out now, not after an hour of grading, if it cannot be written."""
    probe = folder / f".probe.{os.getpid()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise _cannot_write(folder, error) from error


def _cannot_write(path: Path, error: OSError) -> SubmissionError:
    return SubmissionError(f"{path}: cannot be written ({error.strerror}). Make room, or choose another --out.")
