"""From a pile of submissions to results: read, look up in the gradebook, judge what is new, write it down."""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import Protocol

import msgspec

import grader
from grader.gradebook import Gradebook, hash_files, hash_sources
from grader.judge.task import Task
from grader.manifest import Course, Exercise
from grader.models import ExerciseResult, StudentResult
from grader.sandbox.layers import Layers
from grader.submissions.base import Submission, read_source


class Grading(Protocol):
    """Something that judges one task at a time."""

    def grade(self, task: Task) -> ExerciseResult: ...

    def close(self, *, now: bool) -> None: ...


class Work(msgspec.Struct, frozen=True, kw_only=True):
    """One exercise of one student, and the key under which its result is kept."""

    student: str
    task: Task
    key: str


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """How a class is graded."""

    course: Course
    exercises: tuple[Exercise, ...]
    seed: int
    jobs: int
    layers: Layers | None  # None: unconfined

    def make_judge(self) -> Grading:
        if self.layers is None:
            from grader.judge.run import UnconfinedJudge

            return UnconfinedJudge(self.course, self.seed)
        from grader.judge.pool import Judge  # needs Linux

        return Judge(self.course, self.exercises, self.seed, self.layers)


def grade_class(
    settings: Settings, submissions: Sequence[Submission], gradebook: Gradebook, on_done: Callable[[], None]
) -> tuple[StudentResult, ...]:
    """Grade every submission; ``on_done`` is called for each exercise of each student."""
    graders = {exercise.name: fingerprint(settings, exercise) for exercise in settings.exercises}
    works = [
        _work(submission, exercise, graders[exercise.name])
        for submission in submissions
        for exercise in settings.exercises
    ]
    results: dict[str, ExerciseResult] = {}
    waiting: dict[str, list[Work]] = {}
    for work in works:
        found = results.get(work.key) or gradebook.find(work.key)
        if found:
            results[work.key] = found
            on_done()
        else:
            waiting.setdefault(work.key, []).append(work)
    with contextlib.closing(_judge_all(settings, [same[0] for same in waiting.values()])) as judged:
        for work, result in judged:
            gradebook.add(work.key, work.student, result)
            results[work.key] = result
            for _ in waiting[work.key]:
                on_done()
    by_student = iter([results[work.key] for work in works])
    return tuple(
        StudentResult(id=submission.student, exercises=tuple(next(by_student) for _ in settings.exercises))
        for submission in submissions
    )


def fingerprint(settings: Settings, exercise: Exercise) -> str:
    """A hash of everything that decides about a grade besides the student's files."""
    course = settings.course
    package = Path(grader.__file__).parent
    files = [course.public_suite(exercise), course.hidden_suite(exercise), course.solution(exercise)]
    extra = f"{grader.__version__} {settings.seed} {exercise} {settings.layers is None}"
    return hash_files([*files, *package.rglob("*.py")], extra=extra)


def _work(submission: Submission, exercise: Exercise, grader_hash: str) -> Work:
    sources: dict[str, tuple[str, bytes]] = {}
    problem = ""
    main = submission.files.get(exercise.name)
    if main is not None:
        for name in exercise.files:
            path = main if name == f"{exercise.name}.py" else main.with_name(name)
            if path == main or path.is_file():
                content, why = read_source(path)
                problem = problem or why
                sources[name.removesuffix(".py")] = (name, content)
    task = Task(exercise=exercise.name, sources=sources, problem=problem)
    return Work(student=submission.student, task=task, key=hash_sources(sources, extra=f"{grader_hash} {problem}"))


def _judge_all(settings: Settings, works: Sequence[Work]) -> Generator[tuple[Work, ExerciseResult], None, None]:
    """Judge in parallel; results come as they are ready, and only the caller's thread sees them."""
    todo: queue.SimpleQueue[Work] = queue.SimpleQueue()
    done: queue.SimpleQueue[tuple[Work, ExerciseResult | BaseException]] = queue.SimpleQueue()
    for work in works:
        todo.put(work)
    judges = [settings.make_judge() for _ in range(min(settings.jobs, len(works)))]
    stop = threading.Event()

    def run(judge: Grading) -> None:
        while not stop.is_set():
            try:
                work = todo.get_nowait()
            except queue.Empty:
                return
            try:
                done.put((work, judge.grade(work.task)))
            except BaseException as error:  # a bug of ours: it must reach the main thread
                done.put((work, error))

    threads = [threading.Thread(target=run, args=[judge], daemon=True) for judge in judges]
    for thread in threads:
        thread.start()
    try:
        for _ in works:
            work, result = done.get()
            if isinstance(result, BaseException):
                raise result
            yield work, result
        stop.set()
        for thread in threads:
            thread.join()
        for judge in judges:
            judge.close(now=False)
    finally:  # also after Ctrl-C: what is under way is dropped, what is finished is in the gradebook
        stop.set()
        for judge in judges:
            judge.close(now=True)
