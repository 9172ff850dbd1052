"""Error groups: who failed alike.

Two students failed a criterion alike if the same mistake is behind it for both, alone or with others; without a known
mistake, if it has the same verdict and the same kind of message. Criteria of one exercise on which the same students
failed for the same cause are one group: a file that cannot be imported is one mistake, whatever the number of criteria.
A mistake that fails one more criterion of some of a group adds this criterion to the group. What only one student did
is no group; it is counted beside them. Pure functions over the records of results.json.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from grader.results.records import Verdict
from grader.results.schema import GradedCriterion, GradedExercise, Results

_QUOTED = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"|`[^`\n]*`|\([^()\n]*\)|\[[^\[\]\n]*\]")
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?", re.IGNORECASE)
_LONGEST = 160  # characters of a message that tell its kind


class Cause(msgspec.Struct, frozen=True, kw_only=True):
    """What makes two failures of a criterion alike."""

    diagnosis: str = ""
    verdict: Verdict | None = None  # where there is no diagnosis
    message_kind: str = ""
    absent: bool = False  # the whole exercise was not handed in


class ErrorGroup(msgspec.Struct, frozen=True, kw_only=True):
    """Students who failed alike."""

    exercise: str
    criteria: tuple[str, ...]  # ids, in the order of the suites
    titles: tuple[str, ...]
    partly: tuple[str, ...]  # titles of criteria that only some of these students failed, with the same diagnosis
    cause: Cause
    message: str  # of the first student, as an example
    misconceptions: tuple[str, ...]
    students: tuple[str, ...]  # ids, in the order of the results


class Alone(msgspec.Struct, frozen=True, kw_only=True):
    """Failures of one exercise that nobody else has."""

    exercise: str
    failures: int
    students: tuple[str, ...]


class Groups(msgspec.Struct, frozen=True, kw_only=True):
    """All failures of a class: those that several students share, and the rest."""

    groups: tuple[ErrorGroup, ...]  # the largest first; who handed nothing in comes last
    alone: tuple[Alone, ...]


class _Failures(msgspec.Struct):
    """Who failed one criterion for one cause, while it is collected."""

    title: str
    message: str
    misconceptions: tuple[str, ...]
    students: list[str]


def error_groups(results: Results) -> Groups:
    """Who failed alike, in the whole class."""
    found: dict[tuple[str, str, Cause], _Failures] = {}
    for student in results.students:
        for exercise in student.exercises:
            for criterion, cause, misconceptions in _failures(exercise):
                failures = found.setdefault(
                    (exercise.name, criterion.id, cause),
                    _Failures(criterion.title, criterion.message, misconceptions, []),
                )
                failures.students.append(student.id)
    return Groups(groups=_groups(found), alone=_alone(found))


def message_kind(message: str) -> str:
    """The message without what differs from one student to the next: numbers, names and values."""
    text = _QUOTED.sub("…", " ".join(message.split()))
    return _NUMBER.sub("#", text)[:_LONGEST]


def _failures(exercise: GradedExercise) -> Iterable[tuple[GradedCriterion, Cause, tuple[str, ...]]]:
    if exercise.left_out:
        return
    for criterion in exercise.criteria:
        if criterion.verdict is Verdict.PASSED:
            continue
        if exercise.verdict is Verdict.MISSING:
            yield criterion, Cause(verdict=Verdict.MISSING, absent=True), ()
        elif criterion.verdict is not Verdict.GRADER_FAULT and (mistakes := exercise.mistakes_of(criterion)):
            for mistake in mistakes:
                yield criterion, Cause(diagnosis=mistake.words), mistake.misconceptions
        elif criterion.verdict is not Verdict.GRADER_FAULT and criterion.diagnosis:
            yield criterion, Cause(diagnosis=criterion.diagnosis), ()
        else:
            yield criterion, Cause(verdict=criterion.verdict, message_kind=message_kind(criterion.message)), ()


def _groups(found: dict[tuple[str, str, Cause], _Failures]) -> tuple[ErrorGroup, ...]:
    alike: dict[tuple[str, Cause], dict[tuple[str, ...], list[tuple[str, _Failures]]]] = {}
    for (exercise, criterion, cause), failures in found.items():
        if len(failures.students) > 1:
            same_cause = alike.setdefault((exercise, cause), {})
            same_cause.setdefault(tuple(failures.students), []).append((criterion, failures))
    groups = [
        ErrorGroup(
            exercise=exercise,
            criteria=tuple(criterion for criterion, _ in members),
            titles=tuple(failures.title for _, failures in members),
            partly=partly,
            cause=cause,
            message=members[0][1].message,
            misconceptions=members[0][1].misconceptions,
            students=students,
        )
        for (exercise, cause), same_cause in alike.items()
        for students, members, partly in _joined(cause, same_cause)
    ]
    # Sorting is stable: of equal groups, the earlier exercise comes first.
    return tuple(sorted(groups, key=lambda g: (g.cause.absent, -len(g.students), -len(g.criteria))))


def _joined(
    cause: Cause, same_cause: dict[tuple[str, ...], list[tuple[str, _Failures]]]
) -> Iterable[tuple[tuple[str, ...], list[tuple[str, _Failures]], tuple[str, ...]]]:
    """Each with the titles of smaller groups of the same diagnosis whose students it has: they are no groups then."""
    kept: list[tuple[frozenset[str], list[str]]] = []
    whole = []
    for students, members in sorted(same_cause.items(), key=lambda entry: -len(entry[0])):
        larger = next((partly for others, partly in kept if cause.diagnosis and others.issuperset(students)), None)
        if larger is None:
            partly: list[str] = []
            kept.append((frozenset(students), partly))
            whole.append((students, members, partly))
        else:
            larger += [failures.title for _, failures in members]
    return [(students, members, tuple(partly)) for students, members, partly in whole]


def _alone(found: dict[tuple[str, str, Cause], _Failures]) -> tuple[Alone, ...]:
    lonely: dict[str, list[str]] = {}
    for (exercise, _, _), failures in found.items():
        if len(failures.students) == 1:
            lonely.setdefault(exercise, []).append(failures.students[0])
    return tuple(
        Alone(exercise=exercise, failures=len(students), students=tuple(dict.fromkeys(students)))
        for exercise, students in lonely.items()
    )
