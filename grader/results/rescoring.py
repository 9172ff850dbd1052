"""Scores of graded rows, worked out anew after something in them has changed: pure functions."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from grader.results.records import Verdict
from grader.results.schema import GradedCriterion, GradedExercise, GradedStudent, rounded
from grader.results.scoring import weighted_mean


def rescored(
    exercise: GradedExercise, criteria: Iterable[GradedCriterion], points: int | None = None
) -> GradedExercise:
    """The exercise with these criteria; ``points`` are what a teacher gave, if it was a teacher."""
    found = tuple(criteria)
    judged = [one for one in found if one.verdict is not Verdict.GRADER_FAULT]
    possible = sum(one.points for one in judged)
    earned = sum(one.points for one in judged if one.verdict is Verdict.PASSED) if points is None else points
    score = rounded(100.0 * earned / possible) if possible and not exercise.question else None
    return msgspec.structs.replace(
        exercise, criteria=found, points_earned=earned, points_possible=possible, score=score, verdict=_verdict(found)
    )


def _verdict(criteria: tuple[GradedCriterion, ...]) -> Verdict:
    verdicts = {one.verdict for one in criteria}
    if Verdict.GRADER_FAULT in verdicts or not verdicts:
        return Verdict.GRADER_FAULT
    return verdicts.pop() if verdicts in ({Verdict.PASSED}, {Verdict.MISSING}) else Verdict.FAILED


def with_exercises(student: GradedStudent, exercises: Iterable[GradedExercise]) -> GradedStudent:
    """The student with these exercises, and the score that they give."""
    found = tuple(exercises)
    needs_review = any(exercise.question for exercise in found)
    score = None if needs_review else rounded(mean_score(found))
    return msgspec.structs.replace(student, exercises=found, needs_review=needs_review, score=score)


def mean_score(exercises: Iterable[GradedExercise]) -> float | None:
    """The weighted mean, without optional exercises that were not handed in."""
    return weighted_mean((e.weight, e.score) for e in exercises if e.score is not None and not e.left_out)
