"""``solutions/grading.toml``: what only teachers know. Students have none and need none."""

from __future__ import annotations

import tomllib
from pathlib import Path

import msgspec

from grader.errors import ManifestError

FILE_NAME = "grading.toml"
FORMAT = 1


class _Grading(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    format: int
    seed: int


def require_seed(solutions: Path) -> None:
    """Whoever grades needs a seed: without one, hidden inputs would be the same everywhere."""
    path = solutions / FILE_NAME
    if not path.is_file():
        raise ManifestError(
            path,
            "",
            f"not found. Write it, with two lines: format = {FORMAT}, and seed = a whole number that nobody knows.",
        )


def read_seed(solutions: Path) -> int:
    """The seed from which hidden inputs are drawn; 0 where there is no such file, as students have it."""
    path = solutions / FILE_NAME
    if not path.is_file():
        return 0
    try:
        grading = msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), _Grading)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError) as error:
        raise ManifestError(
            path, "", f"{error}. It has two keys: format = {FORMAT}, and seed, a whole number."
        ) from error
    if grading.format != FORMAT:
        raise ManifestError(path, "format", f"found {grading.format}, this grader reads {FORMAT}.")
    return grading.seed
