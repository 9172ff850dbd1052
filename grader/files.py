"""Write a file whole or not at all, and names for files."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

from grader.errors import ResultsError

_PLAIN = re.compile(r"[a-z0-9][a-z0-9_-]{0,59}")
_HASHED = re.compile(r".*-[0-9a-f]{20}")
_DEVICES = re.compile(r"con|prn|aux|nul|com[0-9]|lpt[0-9]")  # no names for files on Windows, whatever follows the dot


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


def safe_name(text: str) -> str:
    """A name for a file, from any text: the same for the same text, another for another, on every file system.

    Small letters, digits, ``-`` and ``_`` stay as they are. Any other text keeps what it has of these, and gets a hash;
    so do capitals, which some file systems do not tell from small letters.
    """
    if _PLAIN.fullmatch(text) and not _HASHED.fullmatch(text) and not _DEVICES.fullmatch(text):
        return text
    start = re.sub(r"[^a-z0-9]+", "-", text[:80].lower()).strip("-")[:30].strip("-") or "x"
    return f"{start}-{hashlib.sha256(text.encode(errors='surrogatepass')).hexdigest()[:20]}"
