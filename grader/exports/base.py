"""What every format is, what it is asked, and what it answers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec

from grader.errors import ExportError, did_you_mean
from grader.results.records import Verdict
from grader.results.schema import GradedExercise, GradedStudent, Results
from grader.text import printable_line

TOTAL = "total"  # stands for the score of the course where an exercise is named
VISIBILITIES = ("after_published", "after_due_date", "visible", "hidden")
POINTS = 100.0


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """What the teacher said on the command line, beside the results."""

    out: Path | None = None
    into: str = ""
    columns: tuple[str, ...] = ()
    exercises: tuple[str, ...] = ()
    points: float = POINTS
    hidden: str = VISIBILITIES[0]
    fields: dict[str, str] = {}
    dry_run: bool = False


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One cell of the teacher's file."""

    student: str  # as the file names the student
    column: str
    old: str
    new: str


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What an export is to write, and what the teacher should know about it."""

    files: dict[str, bytes] = {}  # below --out; the key "" is --out itself
    changes: tuple[Change, ...] = ()
    remarks: tuple[str, ...] = ()
    not_found: tuple[str, ...] = ()  # students of the results who have no place in the teacher's file
    updated: str = ""  # what was changed in place, such as a database


class Format(msgspec.Struct, frozen=True, kw_only=True):
    """A way to write results for another program. ``needs`` and ``takes`` are options of ``grader export``."""

    name: str
    help: str  # one sentence
    export: Callable[[Results, Options], Report]
    needs: tuple[str, ...] = ()
    takes: tuple[str, ...] = ()
    printable: bool = False  # one text file, which is printed where there is no --out


def only_file(content: str | bytes) -> Report:
    """The report of a format that is one file."""
    return Report(files={"": content if isinstance(content, bytes) else content.encode()})


def shown(student: GradedStudent) -> str:
    """The student in a line for the teacher: the id, and the name where there is one."""
    who = printable_line(student.id, 60)
    return f"{who} ({printable_line(student.name, 60)})" if student.name and student.name != student.id else who


def exercise_of(student: GradedStudent, name: str) -> GradedExercise | None:
    return next((exercise for exercise in student.exercises if exercise.name == name), None)


def score_of(student: GradedStudent, name: str) -> tuple[float | None, str]:
    """(the score, "") of an exercise or of the course, or (None, why there is none)."""
    if student.needs_review:
        return None, "needs your review"
    exercise = exercise_of(student, name)
    if exercise is None and name != TOTAL:
        return None, f"has no result for {name}"
    if exercise is not None and exercise.left_out:
        return None, f"left out {name}, which is optional"
    score = grade_of(student if exercise is None else exercise)
    return (score, "") if score is not None else (None, "has no score")


def grade_of(graded: GradedStudent | GradedExercise) -> float | None:
    """What counts, 0 to 100: the score, and where the course has a policy, what the policy makes of it."""
    return graded.score if graded.final is None else graded.final


def beyond_criteria(student: GradedStudent) -> tuple[str, ...]:
    """A remark if the criteria alone do not give the grade, for formats that know nothing but points of criteria."""
    passed = {e.name: sum(c.points for c in e.criteria if c.verdict is Verdict.PASSED) for e in student.exercises}
    by_hand = any(exercise.points_earned != passed[exercise.name] for exercise in student.exercises)
    if not by_hand and student.final in (None, student.score):
        return ()
    return (f"{shown(student)}: points by hand, and what the policy changes, are not in this format.",)


def names_of(results: Results) -> tuple[str, ...]:
    """The exercises of the results, in the order of the course."""
    return tuple(dict.fromkeys(exercise.name for student in results.students for exercise in student.exercises))


def check_exercises(results: Results, names: tuple[str, ...]) -> None:
    known = (*names_of(results), TOTAL)
    for name in names:
        if name not in known:
            raise ExportError(
                f"--exercise: {name!r} is not in these results{did_you_mean(name, known)} "
                f"They have: {', '.join(known)}."
            )


def faults(results: Results) -> tuple[str, ...]:
    """A remark for every student whose score is not of everything, because the grader was at fault."""
    found = []
    for student in results.students:
        names = [e.name for e in student.exercises if e.verdict is Verdict.GRADER_FAULT]
        if names and student.score is not None:
            found.append(f"{shown(student)}: the grader was at fault in {', '.join(names)}; the score is of the rest.")
    return tuple(found)
