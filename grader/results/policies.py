"""From scores to grades by the course's policy: late days, penalties, a mistake that costs once, the lowest dropped.

All of it is worked out from ``results.json`` and ``course.toml`` whenever results are shown. So a changed date needs no
regrade.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Mapping, Sequence

import msgspec

from grader.course import Exercise
from grader.course.policy import Policy
from grader.results.records import Verdict
from grader.results.schema import GradedExercise, GradedStudent, Results, rounded
from grader.results.scoring import weighted_mean

Extensions = Mapping[tuple[str, str], datetime.datetime]  # (student, exercise or nothing) -> due
NO_POLICY = Policy()
DAY = datetime.timedelta(days=1)


def with_policy(
    results: Results, policy: Policy, exercises: Sequence[Exercise], extensions: Extensions | None = None
) -> Results:
    """The results with ``final`` for every student; nothing changes where there is no policy."""
    dates = {exercise.name: exercise.due for exercise in exercises if exercise.due is not None}
    if policy == NO_POLICY and not dates:
        return results
    students = tuple(_student(student, policy, dates, extensions or {}) for student in results.students)
    return msgspec.structs.replace(results, students=students)


def _student(
    student: GradedStudent, policy: Policy, dates: Mapping[str, datetime.datetime], extensions: Extensions
) -> GradedStudent:
    words: list[str] = []
    handed_in = parse_time(student.submitted_at)
    found = []
    for exercise in student.exercises:
        due = extensions.get(
            (student.id, exercise.name), extensions.get((student.id, ""), dates.get(exercise.name, policy.due))
        )
        late = days_late(handed_in, due, policy.grace_minutes)
        taken = penalty(late, policy)
        raised = _raised(exercise) if policy.one_mistake_costs_once else 0.0
        final = None if exercise.score is None else rounded(max(0.0, exercise.score + raised - taken))
        found.append(msgspec.structs.replace(exercise, days_late=late, penalty=taken, raised=raised, final=final))
    words += [
        f"{one.name}: a mistake costs once, so {one.score + one.raised:g} instead of {one.score:g}"
        for one in found
        if one.raised and one.score is not None
    ]
    if any(one.penalty for one in found):
        most = max(found, key=lambda one: one.penalty)
        words.append(f"late by {most.days_late} {'day' if most.days_late == 1 else 'days'}: −{most.penalty:g}")
    if handed_in is None and (policy.due or dates) and any(one.origin for one in found):
        words.append("nobody knows when it was handed in, so there is no penalty")
    total = _total(found, policy, words)
    if student.needs_review or student.score is None:
        total = None
    return msgspec.structs.replace(student, exercises=tuple(found), final=rounded(total), policy=tuple(words))


def _raised(exercise: GradedExercise) -> float:
    """What is added where the mistakes that were found give every wrong answer: they cost their severities together,
    and not each criterion that they fail. Points that a teacher gave by hand stand."""
    earned = sum(criterion.points for criterion in exercise.criteria if criterion.verdict is Verdict.PASSED)
    by_hand = earned != exercise.points_earned
    certain = exercise.explained and exercise.mistakes and not any(one.likeness for one in exercise.mistakes)
    if exercise.score is None or by_hand or not certain:
        return 0.0
    least = 100.0 - sum(mistake.severity for mistake in exercise.mistakes)
    return rounded(max(0.0, least - exercise.score)) or 0.0


def _total(exercises: Sequence[GradedExercise], policy: Policy, words: list[str]) -> float | None:
    graded = [one for one in exercises if one.final is not None and not one.left_out]
    extra = [one for one in graded if one.optional] if policy.extra_credit else []
    counted = [one for one in graded if one not in extra]
    droppable = sorted((one for one in counted if not one.optional), key=lambda one: (one.final or 0.0, -one.weight))
    dropped = droppable[: min(policy.drop_lowest, max(0, len(droppable) - 1))]
    if dropped:
        words.append(f"dropped: {', '.join(one.name for one in dropped)}")
    mean = weighted_mean((one.weight, one.final or 0.0) for one in counted if one not in dropped)
    if mean is None:
        return None
    bonus = sum(policy.extra_credit * one.weight * (one.final or 0.0) / 100 for one in extra)
    if bonus:
        words.append(f"extra credit: +{bonus:g}")
    return min(policy.max_total, mean + bonus)


def days_late(handed_in: datetime.datetime | None, due: datetime.datetime | None, grace_minutes: float) -> int:
    """Days that have begun after the due date; 0 within the minutes of grace."""
    if handed_in is None or due is None:
        return 0
    late = handed_in - _aware(due)
    return 0 if late <= datetime.timedelta(minutes=grace_minutes) else math.ceil(late / DAY)


def penalty(days: int, policy: Policy) -> float:
    """What is taken off 100."""
    if days == 0:
        return 0.0
    steps = [taken for more_than, taken in policy.penalty_steps if days > more_than]
    return min(policy.max_penalty, max(steps, default=0.0) if policy.penalty_steps else days * policy.penalty_per_day)


def parse_time(text: str | None) -> datetime.datetime | None:
    """A time as results tell it; without a zone it is this machine's."""
    try:
        return _aware(datetime.datetime.fromisoformat(text)) if text else None
    except ValueError:
        return None


def _aware(time: datetime.datetime) -> datetime.datetime:
    return time if time.tzinfo else time.astimezone()
