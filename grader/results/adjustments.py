"""What a teacher changes by hand: points of one student, or a criterion that turned out to be unfair.

They are kept in ``adjustments.json`` beside the results, and applied whenever results are shown. So they survive every
regrade, and each can be undone.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from grader.errors import ResultsError, did_you_mean
from grader.files import write_atomically
from grader.results.rescoring import rescored, with_exercises
from grader.results.schema import GradedExercise, Results, as_json

FILE_NAME = "adjustments.json"
FORMAT = 1


class Adjustment(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One decision."""

    number: int
    at: str  # ISO 8601
    because: str
    exercise: str
    student: str = ""  # nobody: for the whole class
    points: int | None = None  # what the student has now
    add: int = 0  # or what is added to the points
    drop: str = ""  # or the criterion that counts for nothing
    undone: bool = False

    @property
    def words(self) -> str:
        """What it does, for people."""
        if self.drop:
            what = f"{self.drop} does not count"
        elif self.points is not None:
            what = f"{self.points} points by hand"
        else:
            what = f"{self.add:+d} points by hand"
        return f"{what}: {self.because}"


class _File(msgspec.Struct, frozen=True, kw_only=True):
    format: int
    adjustments: tuple[Adjustment, ...]


def read_adjustments(folder: Path) -> tuple[Adjustment, ...]:
    """All of a results folder, undone ones too."""
    path = folder / FILE_NAME
    if not path.is_file():
        return ()
    try:
        found = msgspec.json.decode(path.read_bytes(), type=_File)
    except (OSError, msgspec.DecodeError) as error:
        raise ResultsError(f"{path}: cannot be read ({error}). Mend it, or move it away.") from error
    if found.format != FORMAT:
        raise ResultsError(f"{path}: format: found {found.format}, this grader reads {FORMAT}.")
    return found.adjustments


def write_adjustments(folder: Path, adjustments: Sequence[Adjustment]) -> None:
    write_atomically(folder / FILE_NAME, as_json(_File(format=FORMAT, adjustments=tuple(adjustments))))


def check(adjustment: Adjustment, results: Results) -> None:
    """Refuse what cannot be meant."""
    students = {student.id: student for student in results.students}
    if adjustment.student and adjustment.student not in students:
        near = did_you_mean(adjustment.student, students)
        raise ResultsError(f"There is no student {adjustment.student!r} in these results{near}")
    concerned = [students[adjustment.student]] if adjustment.student else list(results.students)
    exercises = {exercise.name: exercise for student in concerned for exercise in student.exercises}
    if adjustment.exercise not in exercises:
        near = did_you_mean(adjustment.exercise, exercises)
        raise ResultsError(f"There is no exercise {adjustment.exercise!r} in these results{near}")
    exercise = exercises[adjustment.exercise]
    ids = [criterion.id for criterion in exercise.criteria]
    if adjustment.drop and adjustment.drop not in ids:
        near = did_you_mean(adjustment.drop, ids)
        raise ResultsError(f"{adjustment.exercise} has no criterion {adjustment.drop!r}{near}")
    if adjustment.points is not None and not 0 <= adjustment.points <= exercise.points_possible:
        raise ResultsError(
            f"{adjustment.exercise} has 0 to {exercise.points_possible} points, not {adjustment.points}."
        )


def adjusted(results: Results, adjustments: Sequence[Adjustment]) -> Results:
    """The results with every adjustment that was not undone, in their order."""
    in_force = [one for one in adjustments if not one.undone]
    if not in_force:
        return results
    of_student: dict[str, list[int]] = {}  # places in the list
    for place, one in enumerate(in_force):
        of_student.setdefault(one.student, []).append(place)
    students = []
    for student in results.students:
        places = {*of_student.get("", ()), *of_student.get(student.id, ())}
        own = [in_force[place] for place in sorted(places)]
        found = [
            _exercise(exercise, [one for one in own if one.exercise == exercise.name]) for exercise in student.exercises
        ]
        changed = found != list(student.exercises)
        students.append(with_exercises(student, found) if changed else student)
    return msgspec.structs.replace(results, students=tuple(students))


def _exercise(exercise: GradedExercise, adjustments: Sequence[Adjustment]) -> GradedExercise:
    if not adjustments:
        return exercise
    dropped = {one.drop for one in adjustments if one.drop}
    criteria = [criterion for criterion in exercise.criteria if criterion.id not in dropped]
    found = rescored(exercise, criteria)
    earned = found.points_earned
    decided = False
    for one in adjustments:
        if one.points is not None:
            earned, decided = one.points, True
        earned += one.add
    if decided:  # a teacher who gives points has answered the question
        found = msgspec.structs.replace(found, question="")
    earned = max(0, min(earned, found.points_possible))
    return msgspec.structs.replace(
        rescored(found, criteria, earned), adjustments=tuple(one.words for one in adjustments), verdict=found.verdict
    )
