"""New results beside older ones: what was not graded this time stays, and nothing that was known is hidden."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

import msgspec

from grader.errors import ResultsError
from grader.files import write_atomically
from grader.results.rescoring import rescored, with_exercises
from grader.results.schema import FILE_NAME, GradedExercise, GradedStudent, Results, read_results

EARLIER = "earlier"  # the folder for what was written before


def earlier_results(folder: Path) -> Results | None:
    """What lies in the folder already; a file that cannot be read is none, and is kept by ``keep_earlier``."""
    file = folder / FILE_NAME
    try:
        return read_results(file.read_bytes(), str(file)) if file.is_file() else None
    except ResultsError:
        return None


def keep_earlier(folder: Path, names: Sequence[str], old: Results | None) -> Path | None:
    """Copy the files that are about to be written over; None if there are none, or the last run never ended."""
    if old and old.provisional:
        return None
    stamp = (old.made.at if old else "") or "unknown"
    place = folder / EARLIER / "".join(c if c.isalnum() or c in "-+" else "-" for c in stamp)
    found = [folder / name for name in names if (folder / name).is_file()]
    for file in found:
        place.mkdir(parents=True, exist_ok=True)
        write_atomically(place / file.name, file.read_bytes())
    return place if found else None


def same_grades(one: Results, other: Results) -> bool:
    """Whether they say the same of everybody; how long it took does not matter."""
    return _timeless(one) == _timeless(other)


def _timeless(results: Results) -> list[GradedStudent]:
    return [
        msgspec.structs.replace(
            student, exercises=tuple(msgspec.structs.replace(e, seconds=0.0) for e in student.exercises)
        )
        for student in results.students
    ]


def add_to(old: Results | None, new: Results, *, everybody: bool, digests: dict[tuple[str, str], str]) -> Results:
    """The new results with what only the old ones have.

    Exercises that were not graded this time, and criteria that ``--quick`` left out, stay as they were. Students who
    were not graded stay only if somebody asked for a part of the class (not ``everybody``). ``digests`` says by
    (student, exercise) what lies there now, so that a score of an older file is told as such.
    """
    if old is None or old.provisional:
        return new
    before = {student.id: student for student in old.students}
    students = [_student(before.get(student.id), student, new.made.quick, digests) for student in new.students]
    graded = {student.id for student in new.students}
    if not everybody:
        students += [student for student in old.students if student.id not in graded]
    if not everybody:
        place = {student.id: number for number, student in enumerate(old.students)}
        students.sort(key=lambda student: place.get(student.id, len(place)))
    return msgspec.structs.replace(new, students=tuple(students))


def _student(
    old: GradedStudent | None, new: GradedStudent, quick: bool, digests: dict[tuple[str, str], str]
) -> GradedStudent:
    if old is None:
        return new
    before = {exercise.name: exercise for exercise in old.exercises}
    now = {exercise.name: exercise for exercise in new.exercises}
    names = [*before, *(name for name in now if name not in before)]
    found: list[GradedExercise] = []
    notes = list(new.notes)
    for name in names:
        if name not in now:
            found.append(before[name])
            if before[name].digest and digests.get((new.id, name), "") != before[name].digest:
                notes.append(f"{name}: the score is of an older file; grade it again")
        elif quick and name in before and before[name].digest == now[name].digest:
            found.append(_with_rest(before[name], now[name]))
        else:
            found.append(now[name])
    if found == list(new.exercises):
        return new
    return with_exercises(msgspec.structs.replace(new, notes=tuple(dict.fromkeys(notes))), found)


def _with_rest(old: GradedExercise, new: GradedExercise) -> GradedExercise:
    """The criteria of the new one, and those of the old one that it has not, in the old order."""
    now = {criterion.id: criterion for criterion in new.criteria}
    rest = [criterion for criterion in old.criteria if criterion.id not in now]
    if not rest:
        return new
    known = [now.pop(criterion.id, criterion) for criterion in old.criteria]
    return rescored(new, [*known, *now.values()])


def lost_students(old: Results | None, new: Results) -> Collection[str]:
    """Who is in the old results and not in the new ones."""
    there = {student.id for student in new.students}
    return [student.id for student in old.students if student.id not in there] if old else []
