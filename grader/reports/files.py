"""Write a file whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from grader.errors import SubmissionError


def write_atomically(path: Path, text: str) -> None:
    """Readers see the old file or the new one, never half of one."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_text(text, encoding="utf-8", newline="")
        temporary.replace(path)
    except OSError as error:
        raise SubmissionError(
            f"{path}: cannot be written ({error.strerror}). Choose another folder with --out."
        ) from error
    finally:
        temporary.unlink(missing_ok=True)
