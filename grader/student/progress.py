"""A student's progress, kept beside the exercises: what was checked when, how it went, and which hints were shown."""

from __future__ import annotations

import contextlib
import datetime
import hashlib
import os
import platform
from collections.abc import Iterable
from pathlib import Path

import msgspec

from grader import __version__
from grader.course import Course, Exercise
from grader.course.suites import Suite
from grader.errors import GraderError
from grader.files import write_atomically
from grader.results.records import ExerciseResult, Verdict
from grader.results.scoring import points_of

FORMAT = 1


class ExerciseProgress(msgspec.Struct, frozen=True, kw_only=True):
    """One exercise as it was when it was checked last."""

    key: str = ""  # of the files; empty: never checked
    checked: datetime.datetime | None = None
    verdicts: dict[str, Verdict] = {}  # criterion -> what became of it
    earned: int = 0
    possible: int = 0
    problem: bool = False  # the module did not import
    failures: dict[str, int] = {}  # criterion -> how many times in succession it did not pass
    hints: dict[str, int] = {}  # criterion -> how many hints were shown

    @property
    def green(self) -> bool:
        return bool(self.verdicts) and all(verdict is Verdict.PASSED for verdict in self.verdicts.values())

    @property
    def passed(self) -> int:
        return sum(verdict is Verdict.PASSED for verdict in self.verdicts.values())


class Progress(msgspec.Struct, frozen=True, kw_only=True):
    """The whole file."""

    format: int = FORMAT
    exercises: dict[str, ExerciseProgress] = {}

    def of(self, exercise: Exercise) -> ExerciseProgress:
        return self.exercises.get(exercise.name, ExerciseProgress())

    def with_exercise(self, exercise: Exercise, progress: ExerciseProgress) -> Progress:
        return msgspec.structs.replace(self, exercises={**self.exercises, exercise.name: progress})


def read_progress(course: Course) -> Progress:
    """What is known; a file that is not there, or not ours, is as if nothing had been checked yet."""
    try:
        found = msgspec.json.decode(course.progress.read_bytes(), type=Progress)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return Progress()
    return found if found.format == FORMAT else Progress()


def keep_progress(course: Course, exercise: Exercise, progress: ExerciseProgress) -> bool:
    """Write the exercise's progress beside what others have written meanwhile; False where it cannot be written."""
    whole = read_progress(course).with_exercise(exercise, progress)
    try:
        course.progress.parent.mkdir(exist_ok=True)
        write_atomically(course.progress, msgspec.json.format(msgspec.json.encode(whole), indent=1))
    except (OSError, GraderError):
        return False
    return True


def after_check(before: ExerciseProgress, key: str, result: ExerciseResult, now: datetime.datetime) -> ExerciseProgress:
    """The progress after this result; criteria that did not run this time stay as they were."""
    failures = dict(before.failures)
    for one in result.criteria:
        reached = one.verdict not in (Verdict.PASSED, Verdict.MISSING)
        failures[one.criterion.id] = failures.get(one.criterion.id, 0) + 1 if reached else 0
    earned, possible = points_of(result.criteria)
    return ExerciseProgress(
        key=key,
        checked=now,
        verdicts={one.criterion.id: one.verdict for one in result.criteria},
        earned=earned,
        possible=possible,
        problem=bool(result.problem),
        failures=failures,
        hints=before.hints,
    )


def key_of(course: Course, exercise: Exercise, submission: Path) -> str:
    """A hash of everything that decides how the public tests end."""
    files = set(Suite(course, exercise, hidden=False).student_files(submission).values())
    files |= {course.public_suite(exercise), *course.folder(exercise).glob("*.py"), *course.data.glob("*.py")}
    for name in exercise.implementations_of:
        other = course.exercise(name)
        files |= {course.module(other), course.solution(other)}
    digest = hashlib.sha256(f"{__version__} {platform.python_version()} {msgspec.json.encode(exercise)!r}".encode())
    for path, content in _contents(sorted(files)):
        digest.update(os.fsencode(path.name) + f" {len(content)}\n".encode() + content)  # any name that a file can have
    return digest.hexdigest()


def _contents(files: Iterable[Path]) -> Iterable[tuple[Path, bytes]]:
    for path in files:
        with contextlib.suppress(OSError):  # deleted meanwhile
            yield path, path.read_bytes()
