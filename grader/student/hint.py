"""Hints one after the other: a question, a direction, nearly the step."""

from __future__ import annotations

import msgspec

from grader.course import Course, Exercise
from grader.course.suites import WrittenTest, read_suite
from grader.results.records import Verdict
from grader.student.progress import ExerciseProgress, keep_progress, read_progress


class Hint(msgspec.Struct, frozen=True, kw_only=True):
    """A hint that was asked for."""

    title: str
    words: str
    number: int  # from 1
    left: int
    new: bool  # False: all had been shown, and this is the last of them again


def next_hint(course: Course, exercise: Exercise, criterion: str = "") -> Hint | None:
    """The next hint for this criterion, or for the first that is not passed; it is remembered. None: all passed."""
    progress = read_progress(course).of(exercise)
    test = stuck_at(course, exercise, progress, criterion)
    if test is None or not test.hints:
        return None
    shown = progress.hints.get(test.id, 0)
    number = min(shown + 1, len(test.hints))
    after = msgspec.structs.replace(progress, hints={**progress.hints, test.id: number})
    keep_progress(course, exercise, after)
    return Hint(
        title=test.title,
        words=test.hints[number - 1],
        number=number,
        left=len(test.hints) - number,
        new=number > shown,
    )


def stuck_at(course: Course, exercise: Exercise, progress: ExerciseProgress, criterion: str = "") -> WrittenTest | None:
    """The named criterion, or the one to mend first: what is wrong before what is not written yet."""
    tests = read_suite(course.public_suite(exercise))
    if criterion:
        return next((test for test in tests if criterion in (test.id, test.title)), None)
    verdicts = progress.verdicts
    wrong = [t for t in tests if verdicts.get(t.id, Verdict.MISSING) not in (Verdict.PASSED, Verdict.MISSING)]
    missing = [t for t in tests if verdicts.get(t.id, Verdict.MISSING) is Verdict.MISSING]
    return next(iter([*wrong, *missing]), None)
