"""How the scores of a class are spread: pure functions over the records of results.json."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, median

import msgspec

from grader.results.records import Verdict
from grader.results.schema import Results

WIDTH = 10  # points of score in one bin
BINS = 100 // WIDTH + 1  # the last one holds full scores alone


class Distribution(msgspec.Struct, frozen=True, kw_only=True):
    """The scores of one exercise, or of the whole course."""

    name: str  # of the exercise; empty for the course
    title: str
    bins: tuple[int, ...]  # students with 0 to below 10, 10 to below 20, …, 90 to below 100, and 100
    missing: int  # students who handed nothing in; they are in no bin
    not_judged: int  # students without a score, through a fault of ours
    mean: float | None
    median: float | None

    @property
    def students(self) -> int:
        """How many are in the bins."""
        return sum(self.bins)


def distributions(results: Results) -> tuple[Distribution, ...]:
    """One for each exercise, in the order of the results."""
    found: dict[str, tuple[str, list[float], list[Verdict]]] = {}
    for student in results.students:
        for exercise in student.exercises:
            _, scores, others = found.setdefault(exercise.name, (exercise.title, [], []))
            if exercise.verdict is Verdict.MISSING:
                others.append(Verdict.MISSING)
            elif exercise.score is None:
                others.append(Verdict.GRADER_FAULT)
            else:
                scores.append(exercise.score)
    return tuple(
        _distribution(name, title, scores, others.count(Verdict.MISSING), others.count(Verdict.GRADER_FAULT))
        for name, (title, scores, others) in found.items()
    )


def course_distribution(results: Results) -> Distribution:
    """The scores of the course, of all students who have one."""
    scores = [student.score for student in results.students if student.score is not None]
    return _distribution("", results.course, scores, 0, len(results.students) - len(scores))


def bin_of(score: float) -> int:
    """A full score is alone in the last bin."""
    return max(0, min(BINS - 1, int(score // WIDTH)))


def _distribution(name: str, title: str, scores: Sequence[float], missing: int, not_judged: int) -> Distribution:
    bins = [0] * BINS
    for score in scores:
        bins[bin_of(score)] += 1
    return Distribution(
        name=name, title=title, bins=tuple(bins), missing=missing, not_judged=not_judged,
        mean=fmean(scores) if scores else None, median=median(scores) if scores else None,
    )  # fmt: skip
