"""What every layout of submissions is turned into."""

from __future__ import annotations

from pathlib import Path

import msgspec


class Submission(msgspec.Struct, frozen=True, kw_only=True):
    """One student's files: for each exercise that was handed in, the file that holds its main module."""

    student: str
    files: dict[str, Path]
