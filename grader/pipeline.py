"""From a pile of submissions to results: find, grade, hand on to the reports."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from grader.judge.run import JudgeFault, run_suites
from grader.manifest import Course, Exercise
from grader.models import ExerciseResult, StudentResult
from grader.submissions.base import Submission


def grade_class(
    course: Course,
    exercises: Sequence[Exercise],
    submissions: Sequence[Submission],
    *,
    jobs: int,
    seed: int,
    on_done: Callable[[], None] = lambda: None,
) -> tuple[StudentResult, ...]:
    """Grade every submission; ``on_done`` is called after each exercise of each student."""

    def grade(task: tuple[Submission, Exercise]) -> ExerciseResult:
        result = grade_one(course, *task, seed=seed)
        on_done()
        return result

    tasks = [(submission, exercise) for submission in submissions for exercise in exercises]
    pool = ThreadPoolExecutor(max_workers=jobs)
    try:
        graded = list(pool.map(grade, tasks))
    finally:
        pool.shutdown(cancel_futures=True)
    results = iter(graded)
    return tuple(
        StudentResult(id=submission.student, exercises=tuple(next(results) for _ in exercises))
        for submission in submissions
    )


def grade_one(course: Course, submission: Submission, exercise: Exercise, *, seed: int) -> ExerciseResult:
    """All criteria, public and hidden, for one exercise of one student."""
    suites = [course.public_suite(exercise), course.hidden_suite(exercise)]
    nowhere = Path(f"{exercise.name}.py")  # a student who handed in nothing is graded on nothing
    file = submission.files.get(exercise.name, nowhere)
    try:
        criteria = run_suites(suites, file, budget=exercise.budget, seed=seed, cwd=course.root)
    except JudgeFault as fault:
        return ExerciseResult(name=exercise.name, criteria=(), fault=str(fault))
    return ExerciseResult(name=exercise.name, criteria=criteria)
