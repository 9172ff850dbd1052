"""How far a student is: every exercise with its points, and what comes next."""

from __future__ import annotations

from rich import box
from rich.console import Console
from rich.table import Table

from grader.course import Course, Exercise
from grader.course.suites import read_suite
from grader.results.scoring import weighted_mean
from grader.student.check_report import ago, next_exercise
from grader.student.hint import stuck_at
from grader.student.progress import ExerciseProgress, Progress


def print_status(console: Console, course: Course, progress: Progress) -> None:
    """The table, the share of all public points, and the next step."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, safe_box=True)
    for heading in ("exercise", "criteria", "points", "checked"):
        table.add_column(heading, justify="right" if heading in ("criteria", "points") else "left")
    shares = []
    for exercise in course.exercises:
        one = progress.of(exercise)
        tests = read_suite(course.public_suite(exercise))
        possible = sum(test.points for test in tests)
        if possible and (one.checked or not exercise.optional):
            shares.append((exercise.weight, 100 * one.earned / possible))
        mark = "✓" if one.green else "✗" if one.checked else " "
        name = f"{mark} {exercise.name}{' (optional)' * exercise.optional}"
        table.add_row(name, f"{one.passed}/{len(tests)}", f"{one.earned}/{possible}", ago(one.checked))
    console.print(table)
    total = weighted_mean(shares)
    if total is not None:
        console.print(f"{total:.0f} % of the public points; hidden criteria are graded by your teacher.")
    console.print(next_step(course, progress))


def next_step(course: Course, progress: Progress) -> str:
    exercise = next_exercise(course, progress)
    if exercise is None:
        return "next: nothing is left to write."
    return f"next: {exercise.name}, {_words(course, exercise, progress.of(exercise))}"


def _words(course: Course, exercise: Exercise, one: ExerciseProgress) -> str:
    if one.checked is None:
        return f"read exercises/{exercise.name}/handout.md, then `grader watch {exercise.name}`"
    if one.problem:
        return f"which does not import: `grader check {exercise.name}`"
    test = stuck_at(course, exercise, one)
    return f"criterion {test.title!r}: `grader watch {exercise.name}`" if test else f"`grader check {exercise.name}`"
