"""``grader check``: the public tests on the student's own files, one exercise after the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from grader.course import Course, Exercise
from grader.judge.processes.oneshot import run_suites
from grader.judge.processes.task import JudgeFault
from grader.results.records import ExerciseResult


def check_exercises(course: Course, exercises: Iterable[Exercise]) -> Iterator[tuple[Exercise, ExerciseResult | str]]:
    """Each exercise with its result, or with what kept its tests from running."""
    for exercise in exercises:
        suite = course.public_suite(exercise)
        if not suite.is_file():
            yield exercise, f"Its tests are missing: {suite}. Get a fresh copy of the course."
            continue
        try:
            run = run_suites(
                [suite],
                course.module(exercise),
                budget=exercise.budget,
                seed=course.secret,
                cwd=course.root,
            )
        except JudgeFault as fault:
            yield exercise, f"Its tests could not be run:\n{fault}"
        else:
            imported = run.imported
            yield (
                exercise,
                ExerciseResult(
                    name=exercise.name, criteria=run.criteria, problem=imported.in_full, notes=imported.notes
                ),
            )
