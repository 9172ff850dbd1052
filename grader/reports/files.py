"""Write a file whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from grader.errors import ResultsError


def write_atomically(path: Path, text: str) -> None:
    """Readers see the old file or the new one, never half of one."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_text(text, encoding="utf-8", newline="")
        temporary.replace(path)
    except OSError as error:
        raise ResultsError(
            f"{path}: cannot be written ({error.strerror}). Make room, or choose another --out."
        ) from error
