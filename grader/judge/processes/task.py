"""What a judge is asked to do, how it can fail to, and what every judge offers."""

from __future__ import annotations

from enum import StrEnum
from typing import Protocol

import msgspec

from grader.results.records import ExerciseResult


class Part(StrEnum):
    """Which criteria of an exercise are meant."""

    ALL = "all"
    SHORT = "short"  # all but those that train a model
    LONG = "long"  # those that train a model


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """One student's files for one exercise: module name -> (file name, text)."""

    exercise: str
    sources: dict[str, tuple[str, bytes]]
    problem: str = ""  # why the files cannot be used, if so
    part: Part = Part.ALL
    only: tuple[str, ...] = ()  # of that part, judge these criteria, not all
    seed: str = ""  # hidden inputs are drawn from it
    draw: int = 0  # how often they were drawn before: another number, other inputs
    budget: float | None = None  # seconds for all tests together, if not the exercise's own
    in_process: bool = False  # without confinement, as students check themselves: for code of ours only
    diagnose: bool = False  # look for the known mistakes that explain failures
    answers: bool = False  # tell what was asked and answered
    first_failure: bool = False  # stop there: all that is asked is whether there is one


class Judge(Protocol):
    """Judges one task at a time; every judge gives the same verdicts for the same task."""

    def grade(self, task: Task) -> ExerciseResult:
        """The result; what we could not judge is a fault in it, and no exception."""

    def close(self, *, now: bool) -> None:
        """End what it started: when it is idle, or ``now``, also from another thread."""


class JudgeFault(Exception):  # noqa: N818  # a fault of ours, and named so throughout
    """A judge could not do its work; the student had no part in it."""
