"""What a judge is asked to do, and how it can fail to."""

from __future__ import annotations

import msgspec


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """One student's files for one exercise: module name -> (file name, text)."""

    exercise: str
    sources: dict[str, tuple[str, bytes]]
    problem: str = ""  # why the files cannot be used, if so


class JudgeFault(Exception):  # noqa: N818  # a fault of ours, and named so throughout
    """A judge could not do its work; the student had no part in it."""
