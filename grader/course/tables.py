"""Files of the course in TOML that say which format they have: read once, the same way for all of them."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TypeVar

import msgspec

from grader.errors import ManifestError

T = TypeVar("T")


def read_table(path: Path, kind: type[T], expected: int, *, remedy: str = "") -> T:
    """The file as this kind of record; a mistake in it, or another format, is told with the file's name.

    The format comes first: in a file of another format other keys are no mistake. ``remedy`` says what to do.
    """
    remedy = f" {remedy}" if remedy else ""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
        if "format" in content and content["format"] != expected:
            raise ManifestError(path, "format", f"found {content['format']}, this grader reads {expected}.{remedy}")
        return msgspec.convert(content, kind)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError) as error:
        raise ManifestError(path, "", f"{error}.{remedy}" if remedy else str(error)) from error
