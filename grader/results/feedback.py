"""What a student should hear: what to do first, and where points were lost. Pure functions."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from grader.results.records import Kind, Verdict
from grader.results.schema import GradedCriterion, GradedExercise, GradedStudent


class FirstStep(msgspec.Struct, frozen=True, kw_only=True):
    """What to do first; without a criterion, the exercise as a whole is to be handed in."""

    exercise: GradedExercise
    criterion: GradedCriterion | None


class KindPoints(msgspec.Struct, frozen=True, kw_only=True):
    kind: Kind
    earned: int
    possible: int


class StandIn(msgspec.Struct, frozen=True, kw_only=True):
    """An earlier exercise in whose place the course's own module was used."""

    name: str
    lost_points: bool  # whether the student's own lost points itself


def first_step(student: GradedStudent) -> FirstStep | None:
    """The first criterion that is lost in the earliest exercise without all points; what we failed to judge is not."""
    for exercise in student.exercises:
        if exercise.left_out:
            continue
        if exercise.verdict is Verdict.MISSING:
            return FirstStep(exercise=exercise, criterion=None)
        if lost := next((c for c in exercise.criteria if is_lost(c)), None):
            return FirstStep(exercise=exercise, criterion=lost)
    return None


def is_lost(criterion: GradedCriterion) -> bool:
    """Whether it cost the student points."""
    return criterion.verdict not in (Verdict.PASSED, Verdict.GRADER_FAULT)


def points_by_kind(exercises: Iterable[GradedExercise]) -> tuple[KindPoints, ...]:
    """Points earned and possible for each kind of criterion, without what we could not judge."""
    judged = [
        criterion
        for exercise in exercises
        if not exercise.left_out
        for criterion in exercise.criteria
        if criterion.verdict is not Verdict.GRADER_FAULT
    ]
    return tuple(
        KindPoints(
            kind=kind,
            earned=sum(c.points for c in judged if c.kind is kind and c.verdict is Verdict.PASSED),
            possible=sum(c.points for c in judged if c.kind is kind),
        )
        for kind in Kind
        if any(c.kind is kind for c in judged)
    )


def stand_ins(student: GradedStudent, exercise: GradedExercise) -> tuple[StandIn, ...]:
    """What the exercise was graded with in place of the student's own modules."""
    own = {other.name: other for other in student.exercises}
    return tuple(
        StandIn(name=name, lost_points=name in own and own[name].verdict is not Verdict.PASSED)
        for name in exercise.stand_ins
    )
