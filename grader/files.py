"""Write a file whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from grader.errors import ResultsError


def write_atomically(path: Path, content: str | bytes) -> None:
    """Readers see the old file or the new one, never half of one."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_bytes(content if isinstance(content, bytes) else content.encode())
        temporary.replace(path)
    except OSError as error:
        raise ResultsError(
            f"{path}: cannot be written ({error.strerror}). Make room, or choose another --out."
        ) from error
