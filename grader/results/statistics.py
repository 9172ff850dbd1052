"""What a class says about the criteria: how hard each one is, and whether it tells good work from bad.

Pure functions over the records of results.json (docs/results.md). Only students who handed an
exercise in count for it, and only criteria that we could judge: a ``grader_fault`` says nothing about a test or a
student.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import correlation

import msgspec

from grader.errors import UnknownExerciseError
from grader.results.records import Kind, Verdict
from grader.results.schema import GradedCriterion, GradedExercise, Results

FORMAT = 1
ENOUGH = 8  # students, from which on a negative discrimination is no longer taken for chance

NEGATIVE = "negative_discrimination"
NOBODY = "nobody_passed"
EVERYBODY = "everybody_passed"
SUSPICIOUS = (NEGATIVE, NOBODY)  # the others are remarks only


class Item(msgspec.Struct, frozen=True, kw_only=True):
    """One criterion over the class."""

    id: str
    title: str
    kind: Kind
    points: int
    hidden: bool
    judged: int  # students whose work it judged
    passed: int
    difficulty: float | None  # the share that passed: the lower, the harder
    discrimination: float | None  # point-biserial correlation with the rest of the exercise
    verdicts: dict[str, int]
    misconceptions: dict[str, int]
    flags: tuple[str, ...]

    @property
    def suspicious(self) -> bool:
        return any(flag in SUSPICIOUS for flag in self.flags)


class ExerciseItems(msgspec.Struct, frozen=True, kw_only=True):
    """One exercise over the class."""

    name: str
    handed_in: int
    missing: int
    items: tuple[Item, ...]
    misconceptions: dict[str, int]  # a mistake, "or" between what nothing tells apart -> students, the most first


class ClassItems(msgspec.Struct, frozen=True, kw_only=True):
    """All exercises over the class."""

    format: int
    course: str
    students: int
    exercises: tuple[ExerciseItems, ...]


def class_items(results: Results, names: Sequence[str] = ()) -> ClassItems:
    """Statistics of every exercise in the results, in their order, or of those that are named."""
    found: dict[str, list[GradedExercise]] = {}
    for student in results.students:
        for exercise in student.exercises:
            found.setdefault(exercise.name, []).append(exercise)
    for name in names:
        if name not in found:
            raise UnknownExerciseError(name, found)
    return ClassItems(
        format=FORMAT,
        course=results.course,
        students=len(results.students),
        exercises=tuple(
            exercise_items(name, exercises) for name, exercises in found.items() if name in names or not names
        ),
    )


def exercise_items(name: str, exercises: Sequence[GradedExercise]) -> ExerciseItems:
    """Statistics of one exercise, from the results of all students for it."""
    handed_in = [exercise for exercise in exercises if exercise.verdict is not Verdict.MISSING]
    judged = [_judged(exercise) for exercise in handed_in]
    criteria = {criterion.id: criterion for student in judged for criterion in student.values()}
    totals = [_points(student.values()) for student in judged]
    mistakes: Counter[str] = Counter()
    for exercise, student in zip(handed_in, judged, strict=True):
        mistakes.update({mistake.name for criterion in student.values() for mistake in exercise.mistakes_of(criterion)})
    return ExerciseItems(
        name=name,
        handed_in=len(handed_in),
        missing=len(exercises) - len(handed_in),
        items=tuple(_item(criterion, handed_in, judged, totals) for criterion in criteria.values()),
        misconceptions=_ordered(mistakes),
    )


def _judged(exercise: GradedExercise) -> dict[str, GradedCriterion]:
    return {c.id: c for c in exercise.criteria if c.verdict is not Verdict.GRADER_FAULT}


def _item(
    criterion: GradedCriterion,
    exercises: Sequence[GradedExercise],
    students: Sequence[dict[str, GradedCriterion]],
    totals: Sequence[tuple[int, int]],
) -> Item:
    found = [student[criterion.id] for student in students if criterion.id in student]
    verdicts = Counter(one.verdict.value for one in found)
    passed = verdicts[Verdict.PASSED.value]
    pairs = [
        (float(student[criterion.id].verdict is Verdict.PASSED), rest)
        for student, total in zip(students, totals, strict=True)
        if criterion.id in student and (rest := _rest(total, student[criterion.id])) is not None
    ]
    discrimination = _correlation(pairs)
    flags = []
    if discrimination is not None and discrimination < 0 and len(pairs) >= ENOUGH:
        flags.append(NEGATIVE)
    if found and passed in (0, len(found)):
        flags.append(EVERYBODY if passed else NOBODY)
    return Item(
        id=criterion.id,
        title=criterion.title,
        kind=criterion.kind,
        points=criterion.points,
        hidden=criterion.hidden,
        judged=len(found),
        passed=passed,
        difficulty=passed / len(found) if found else None,
        discrimination=discrimination,
        verdicts=_ordered(verdicts),
        misconceptions=_ordered(
            Counter(
                mistake.name
                for exercise, student in zip(exercises, students, strict=True)
                if criterion.id in student
                for mistake in exercise.mistakes_of(student[criterion.id])
            )
        ),
        flags=tuple(flags),
    )


def _points(criteria: Iterable[GradedCriterion]) -> tuple[int, int]:
    """(earned, possible)"""
    earned = possible = 0
    for criterion in criteria:
        possible += criterion.points
        earned += criterion.points if criterion.verdict is Verdict.PASSED else 0
    return earned, possible


def _rest(total: tuple[int, int], without: GradedCriterion) -> float | None:
    """A student's score, 0 to 1, on all criteria but one; None where there is no other."""
    earned, possible = (here - there for here, there in zip(total, _points([without]), strict=True))
    return earned / possible if possible else None


def _correlation(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Pearson's, which for one variable of two values is the point-biserial one; None where one does not vary."""
    if any(len({pair[side] for pair in pairs}) < 2 for side in (0, 1)):
        return None
    passed, rest = zip(*pairs, strict=True)
    return max(-1.0, min(1.0, correlation(passed, rest)))


def _ordered(counts: Counter[str]) -> dict[str, int]:
    """The most frequent first; of equals, the first by name."""
    return dict(sorted(((name, count) for name, count in counts.items() if count), key=lambda e: (-e[1], e[0])))
