"""Write a file whole or not at all, zips whose bytes depend on nothing but what is in them, and names for files."""

from __future__ import annotations

import hashlib
import io
import os
import re
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from grader.errors import ResultsError

_PLAIN = re.compile(r"[a-z0-9][a-z0-9_-]{0,59}")
_HASHED = re.compile(r".*-[0-9a-f]{20}")
_DEVICES = re.compile(r"con|prn|aux|nul|com[0-9]|lpt[0-9]")  # no names for files on Windows, whatever follows the dot

EPOCH = (1980, 1, 1, 0, 0, 0)  # the first day that a zip knows
REGULAR = 0o100000


def write_atomically(path: Path, content: str | bytes | Iterable[bytes]) -> None:
    """Readers see the old file or the new one, never half of one; ``content`` may come in parts."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with temporary.open("wb") as file:
            if isinstance(content, str | bytes):
                content = [content if isinstance(content, bytes) else content.encode()]
            file.writelines(content)
        temporary.replace(path)
    except OSError as error:
        raise ResultsError(
            f"{path}: cannot be written ({error.strerror}). Make room, or choose another --out."
        ) from error


def make_zip(members: Mapping[str, bytes], executable: frozenset[str] = frozenset()) -> bytes:
    """The members in the order of their names; the same members give the same bytes."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(members):
            info = zipfile.ZipInfo(name, EPOCH)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.create_system = 3  # Unix, wherever this runs: then the permissions count
            info.external_attr = (REGULAR | (0o755 if name in executable else 0o644)) << 16
            archive.writestr(info, members[name])
    return content.getvalue()


def safe_name(text: str) -> str:
    """A name for a file, from any text: the same for the same text, another for another, on every file system.

    Small letters, digits, ``-`` and ``_`` stay as they are. Any other text keeps what it has of these, and gets a hash;
    so do capitals, which some file systems do not tell from small letters.
    """
    if _PLAIN.fullmatch(text) and not _HASHED.fullmatch(text) and not _DEVICES.fullmatch(text):
        return text
    start = re.sub(r"[^a-z0-9]+", "-", text[:80].lower()).strip("-")[:30].strip("-") or "x"
    return f"{start}-{hashlib.sha256(text.encode(errors='surrogatepass')).hexdigest()[:20]}"
