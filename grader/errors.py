"""Errors that a person can mend. The command line prints them as one message, without a traceback.

GraderError
├── ManifestError        course.toml says something that we cannot use
├── UnknownExerciseError a name that is not in course.toml
├── MarkError            BEGIN/END SOLUTION marks that do not fit
├── MisconceptionError   an edit that does not apply to the solution
├── CriterionError       a test whose criterion is missing, doubled or out of range
├── SubmissionError      a pile of submissions that we cannot work with
├── ResultsError         a results folder that we cannot write, or that another run uses
└── ConfinementError     student code cannot be confined here

A student's failure is never one of these: it is a verdict (models.Verdict).
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path


class GraderError(Exception):
    """Where, what was found, what to do."""


class ManifestError(GraderError):
    def __init__(self, path: Path, key: str, problem: str) -> None:
        place = f"{path}: {key}" if key else str(path)
        super().__init__(f"{place}: {problem}")
        self.path = path
        self.key = key


class UnknownExerciseError(GraderError):
    def __init__(self, name: str, known: Iterable[str]) -> None:
        known = list(known)
        super().__init__(
            f"There is no exercise {name!r}{did_you_mean(name, known)} The exercises are: {', '.join(known)}."
        )
        self.name = name


class MarkError(GraderError):
    def __init__(self, path: Path, line: int, problem: str) -> None:
        super().__init__(f"{path}:{line}: {problem}")
        self.path = path
        self.line = line


class MisconceptionError(GraderError):
    def __init__(self, path: Path, name: str, problem: str) -> None:
        super().__init__(f"{path}: misconception {name!r}: {problem}")
        self.path = path
        self.name = name


class CriterionError(GraderError):
    pass


class SubmissionError(GraderError):
    pass


class ResultsError(GraderError):
    pass


class ConfinementError(GraderError):
    pass


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """``; did you mean 'weight'?`` or a full stop where nothing is near."""
    near = difflib.get_close_matches(word, list(known), n=1)
    return f"; did you mean {near[0]!r}?" if near else "."
