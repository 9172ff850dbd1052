"""From verdicts to scores: pure functions.

An exercise is worth 100 whatever its points add up to; the course total is the mean of the exercises by
weight. A criterion that we failed to judge (``grader_fault``) counts neither for nor against the student;
where nothing else is left there is no score at all, rather than a zero. An optional exercise that was not
handed in counts neither for nor against either.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from grader.results.records import CriterionResult, ExerciseResult, StudentResult, Verdict


def points_of(results: Iterable[CriterionResult]) -> tuple[int, int]:
    """(points earned, points possible) over the criteria that could be judged."""
    earned = possible = 0
    for result in results:
        if result.verdict is Verdict.GRADER_FAULT:
            continue
        possible += result.criterion.points
        earned += result.criterion.points if result.passed else 0
    return earned, possible


def exercise_score(exercise: ExerciseResult) -> float | None:
    """0 to 100, or None where no criterion could be judged."""
    earned, possible = points_of(exercise.criteria)
    return 100.0 * earned / possible if possible else None


def left_out(exercise: ExerciseResult, optional: Collection[str]) -> bool:
    """Whether it is an optional exercise that the student did not hand in."""
    return exercise.name in optional and exercise.verdict is Verdict.MISSING


def course_score(student: StudentResult, weights: Mapping[str, float], optional: Collection[str] = ()) -> float | None:
    """The weighted mean of the exercises that have a score, 0 to 100, without what was left out of the optional."""
    return weighted_mean(
        (weights[exercise.name], score)
        for exercise in student.exercises
        if (score := exercise_score(exercise)) is not None and not left_out(exercise, optional)
    )


def weighted_mean(pairs: Iterable[tuple[float, float]]) -> float | None:
    """The mean of scores, given as (weight, score); None where there is none."""
    scored = list(pairs)
    total = sum(weight for weight, _ in scored)
    # Dividing each weight first keeps rounding from lifting a sum of full scores above 100.
    return min(100.0, sum(weight / total * score for weight, score in scored)) if scored else None
