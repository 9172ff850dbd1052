"""What a teacher should look at: students to review, verdicts that stand out, and what took long. Pure functions."""

from __future__ import annotations

from collections import Counter

import msgspec

from grader.results.records import Verdict
from grader.results.schema import GradedExercise, GradedStudent, Results

# Verdicts that say more than "wrong", the most serious first.
STANDING_OUT = (
    Verdict.GRADER_FAULT, Verdict.TAMPERED, Verdict.CRASHED, Verdict.MEMORY, Verdict.TIMEOUT, Verdict.ERROR,
)  # fmt: skip
SLOWEST = 10
SLOW = 1.0  # seconds; what took less is not worth a look


class Review(msgspec.Struct, frozen=True, kw_only=True):
    """A student whose score a teacher should look at before it counts."""

    student: GradedStudent
    reasons: tuple[str, ...]


class StandsOut(msgspec.Struct, frozen=True, kw_only=True):
    """A verdict that criteria of one exercise have for one student."""

    student: GradedStudent
    exercise: str
    verdict: Verdict
    criteria: int


class Slow(msgspec.Struct, frozen=True, kw_only=True):
    student: GradedStudent
    exercise: str
    seconds: float


def reviews(results: Results) -> tuple[Review, ...]:
    """Who is marked for review, whom we could not judge, and who broke the rules; each with every reason."""
    return tuple(
        Review(student=student, reasons=_reasons(student))
        for student in results.students
        if student.needs_review or any(_serious(exercise) for exercise in student.exercises)
    )


def _serious(exercise: GradedExercise) -> bool:
    return exercise.verdict is Verdict.GRADER_FAULT or any(c.verdict is Verdict.TAMPERED for c in exercise.criteria)


def _reasons(student: GradedStudent) -> tuple[str, ...]:
    asked = bool(student.question) or any(exercise.question for exercise in student.exercises)
    reasons = [student.question] if student.question else [] if asked else list(student.notes)
    for exercise in student.exercises:
        counts = Counter(criterion.verdict for criterion in exercise.criteria)
        found = [exercise.problem, *exercise.notes] if not asked else [] if student.question else [exercise.question]
        if exercise.fault:
            found.append(f"could not be graded, through a fault of ours: {exercise.fault}")
        elif counts[Verdict.GRADER_FAULT]:
            found.append(f"{_criteria(counts[Verdict.GRADER_FAULT])} could not be judged, through a fault of ours")
        if counts[Verdict.TAMPERED]:
            found.append(f"broke the rules of the judge in {_criteria(counts[Verdict.TAMPERED])}")
        reasons += [f"{exercise.name}: {reason}" for reason in found if reason]
    return tuple(reasons) or ("marked for review; the results do not say why",)


def standing_out(results: Results) -> dict[Verdict, tuple[StandsOut, ...]]:
    """For every verdict that says more than "wrong": who has it, in which exercise, how often."""
    found: dict[Verdict, list[StandsOut]] = {verdict: [] for verdict in STANDING_OUT}
    for student in results.students:
        for exercise in student.exercises:
            counts = Counter(criterion.verdict for criterion in exercise.criteria)
            if exercise.fault and not counts[Verdict.GRADER_FAULT]:
                counts[Verdict.GRADER_FAULT] = 1
            for verdict in STANDING_OUT:
                if counts[verdict]:
                    found[verdict].append(
                        StandsOut(student=student, exercise=exercise.name, verdict=verdict, criteria=counts[verdict])
                    )
    return {verdict: tuple(entries) for verdict, entries in found.items() if entries}


def slowest(results: Results) -> tuple[Slow, ...]:
    """What took longest to judge, the longest first."""
    found = [
        Slow(student=student, exercise=exercise.name, seconds=exercise.seconds)
        for student in results.students
        for exercise in student.exercises
        if exercise.seconds >= SLOW
    ]
    return tuple(sorted(found, key=lambda entry: -entry.seconds)[:SLOWEST])


def verdict_counts(results: Results) -> dict[Verdict, tuple[int, int]]:
    """For each verdict: how many criteria of all students have it, and how many students."""
    criteria: Counter[Verdict] = Counter()
    students: Counter[Verdict] = Counter()
    for student in results.students:
        counts = Counter(c.verdict for e in student.exercises if not e.left_out for c in e.criteria)
        criteria.update(counts)
        students.update(counts.keys())
    return {verdict: (criteria[verdict], students[verdict]) for verdict in Verdict if criteria[verdict]}


def _criteria(count: int) -> str:
    return "1 criterion" if count == 1 else f"{count} criteria"
