"""What a judge is asked to do, and how it can fail to."""

from __future__ import annotations

import msgspec


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """One student's files for one exercise: module name -> (file name, text)."""

    exercise: str
    sources: dict[str, tuple[str, bytes]]
    problem: str = ""  # why the files cannot be used, if so
    only: tuple[str, ...] = ()  # judge these criteria, not all
    seed: int | None = None  # draw inputs from this seed, not from the judge's
    diagnose: bool = False  # look for the known mistakes that explain failures
    first_failure: bool = False  # stop there: all that is asked is whether there is one


class JudgeFault(Exception):  # noqa: N818  # a fault of ours, and named so throughout
    """A judge could not do its work; the student had no part in it."""
