"""From a pile of submissions to results: read, look up in the gradebook, judge what is new, write it down."""

from __future__ import annotations

import contextlib
import os
import queue
import random
import threading
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import Any, Protocol

import msgspec

import grader
from grader.gradebook import Gradebook, hash_files, hash_sources
from grader.judge.task import Task
from grader.manifest import Course, Exercise
from grader.misconceptions import bank_path
from grader.models import ExerciseResult, StudentResult, Verdict
from grader.sandbox.layers import Layers
from grader.scoring import exercise_score
from grader.submissions.base import Submission, read_source

# Parts of the grader that come before or after judging: what they do changes no verdict.
WITHOUT_INFLUENCE = {
    "cli", "validation.py", "statistics.py", "authoring", "reports", "student", "submissions", "training"
}  # fmt: skip

Sources = dict[str, tuple[str, bytes]]  # module name -> (file name, text)


class Grading(Protocol):
    """Something that judges one task at a time."""

    def grade(self, task: Task) -> ExerciseResult: ...

    def close(self, *, now: bool) -> None: ...


class Work(msgspec.Struct, frozen=True, kw_only=True):
    """One exercise of one student, and the key under which its result is kept."""

    student: str
    task: Task
    key: str
    own: frozenset[str] = frozenset()  # earlier exercises that it builds on, with modules of the student's
    stand_ins: frozenset[str] = frozenset()  # those in whose place the course's modules are used


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """How a class is graded."""

    course: Course
    exercises: tuple[Exercise, ...]
    seed: int
    jobs: int
    layers: Layers | None  # None: unconfined
    quick: bool = False  # leave out criteria that train a model
    diagnose: bool = False  # look for the known mistakes that explain failures

    def make_judges(self, count: int) -> list[Grading]:
        if self.layers is None:
            from grader.judge.run import UnconfinedJudge

            return [UnconfinedJudge(self.course, self.seed, quick=self.quick) for _ in range(count)]
        from grader.judge.pool import Judge  # needs Linux

        cores: list[int | None] = [None]
        if count > 1:
            cores = random.sample(sorted(os.sched_getaffinity(0)), k=len(os.sched_getaffinity(0)))
        return [
            Judge(
                self.course,
                self.exercises,
                self.seed,
                self.layers,
                core=cores[number % len(cores)],
                quick=self.quick,
            )
            for number in range(count)
        ]


def grade_class(
    settings: Settings, submissions: Sequence[Submission], gradebook: Gradebook, on_done: Callable[[], None]
) -> tuple[StudentResult, ...]:
    """Grade every submission; ``on_done`` is called for each exercise of each student."""
    reader = TaskReader(settings)
    works = [reader.work(submission, exercise) for submission in submissions for exercise in settings.exercises]
    results = grade_works(settings, works, gradebook, lambda work: None if work.own else on_done())
    for work in works:
        if work.own and results[work.key].verdict is not Verdict.FAILED:
            on_done()
    grade_with_stand_ins(settings, reader, works, results, gradebook, on_done)
    by_student = iter([results[work.key] for work in works])
    return tuple(
        StudentResult(id=submission.student, exercises=tuple(next(by_student) for _ in settings.exercises))
        for submission in submissions
    )


def grade_with_stand_ins(
    settings: Settings,
    reader: TaskReader,
    works: Sequence[Work],
    results: dict[str, ExerciseResult],
    gradebook: Gradebook,
    on_done: Callable[[], None],
) -> None:
    """No double jeopardy: judge what failed again, with our modules in the place of those that it builds on.

    First for the parts that lost points themselves, then for all: two parts that each follow the contract may still not
    fit together. Whole attempts cost a training, so one is made only if a criterion that failed fares better.
    """
    full = {(work.student, work.task.exercise) for work in works if results[work.key].verdict is Verdict.PASSED}
    failed = {work.key: work for work in works if work.own and results[work.key].verdict is Verdict.FAILED}
    for with_all in (False, True):
        attempts: dict[str, Work] = {}
        for key, work in failed.items():
            at_fault = frozenset(name for name in work.own if (work.student, name) not in full)
            names = work.own - at_fault and work.own if with_all else at_fault
            if names and results[key].verdict is Verdict.FAILED:
                attempts[key] = reader.with_stand_ins(work, names)
        probes = {key: reader.only(attempt, failed_criteria(results[key])) for key, attempt in attempts.items()}
        found = grade_works(settings, [*probes.values()], gradebook, lambda work: None)
        promising = {key: attempts[key] for key, probe in probes.items() if has_gained(found[probe.key], probe)}
        found = grade_works(settings, [*promising.values()], gradebook, lambda work: None)
        for key, attempt in promising.items():
            results[key] = better(results[key], found[attempt.key], attempt.stand_ins)
    for work in works:
        if work.key in failed:
            on_done()


def failed_criteria(result: ExerciseResult) -> tuple[str, ...]:
    """What did not pass and is quick to try again; criteria that train only if nothing else failed."""
    failed = [found.criterion for found in result.criteria if not found.passed]
    return tuple(c.id for c in failed if not c.long) or tuple(c.id for c in failed)


def has_gained(result: ExerciseResult, work: Work) -> bool:
    """Whether a criterion that failed before does not fail now, or we cannot say."""
    return result.verdict is Verdict.GRADER_FAULT or any(
        found.passed for found in result.criteria if found.criterion.id in work.task.only
    )


def grade_works(
    settings: Settings, works: Sequence[Work], gradebook: Gradebook, on_done: Callable[[Work], None]
) -> dict[str, ExerciseResult]:
    """The result for each key: from the gradebook, or judged now and written into it."""
    results: dict[str, ExerciseResult] = {}
    waiting: dict[str, list[Work]] = {}
    for work in works:
        found = results.get(work.key) or gradebook.find(work.key)
        if found:
            results[work.key] = found
            on_done(work)
        else:
            waiting.setdefault(work.key, []).append(work)
    with contextlib.closing(_judge_all(settings, [same[0] for same in waiting.values()])) as judged:
        for work, result in judged:
            gradebook.add(work.key, work.student, result)
            results[work.key] = result
            for same in waiting[work.key]:
                on_done(same)
    return results


def better(own: ExerciseResult, other: ExerciseResult, stand_ins: frozenset[str]) -> ExerciseResult:
    """The one of two results that counts; ``other`` was reached with these stand-ins."""
    if other.verdict is not Verdict.GRADER_FAULT and (exercise_score(other) or 0) <= (exercise_score(own) or 0):
        return own
    return msgspec.structs.replace(other, stand_ins=tuple(sorted(stand_ins)))


def fingerprint(settings: Settings, exercise: Exercise) -> str:
    """A hash of everything that decides about a grade besides the student's files."""
    course = settings.course
    package = Path(grader.__file__).parent
    code = [path for path in package.rglob("*.py") if path.relative_to(package).parts[0] not in WITHOUT_INFLUENCE]
    files = [course.public_suite(exercise), course.hidden_suite(exercise), course.solution(exercise)]
    files += (course.root / "data").glob("*.py")  # suites draw from it
    files += [bank_path(course, exercise)] if settings.diagnose else []
    for earlier in map(course.exercise, exercise.prerequisites):  # tests that students write are tried on these
        files += [course.solution(earlier), bank_path(course, earlier)]
        files += (course.root / "tests" / "variants" / earlier.name).glob("*.py")
    extra = f"{grader.__version__} {settings.seed} {exercise} {settings.layers is None} {settings.quick}"
    return hash_files([*files, *code], extra=extra)


class TaskReader:
    """Turns what students handed in into tasks for a judge."""

    def __init__(self, settings: Settings) -> None:
        self.course = settings.course
        self.diagnose = settings.diagnose
        self.fingerprints = {exercise.name: fingerprint(settings, exercise) for exercise in settings.exercises}

    def work(self, submission: Submission, exercise: Exercise, **how: Any) -> Work:
        """What is to be judged; ``how`` goes into the task (``seed``, ``only``, ``first_failure``)."""
        sources: Sources = {}
        problem = ""
        own = set()
        main = submission.files.get(exercise.name)
        if main is not None:
            for name in exercise.builds_on:
                content, why = read_source(submission.files[name]) if name in submission.files else (b"", "none")
                sources[name] = self.stand_in(name) if why else (f"{name}.py", content)
                own |= set() if why else {name}
            for name in exercise.files:
                path = main if name == f"{exercise.name}.py" else main.with_name(name)
                if path == main or path.is_file():
                    content, why = read_source(path)
                    problem = problem or why
                    sources[name.removesuffix(".py")] = (name, content)
        task = Task(exercise=exercise.name, sources=sources, problem=problem, diagnose=self.diagnose, **how)
        return self._work(submission.student, task, own=frozenset(own))

    def with_stand_ins(self, work: Work, names: frozenset[str]) -> Work:
        """The same work, but with the course's own modules in the place of these exercises'."""
        sources = {**work.task.sources, **{name: self.stand_in(name) for name in names}}
        return self._work(work.student, msgspec.structs.replace(work.task, sources=sources), stand_ins=names)

    def only(self, work: Work, criteria: tuple[str, ...]) -> Work:
        """The same work, but judged by these criteria alone, and without a diagnosis."""
        task = msgspec.structs.replace(work.task, only=criteria, diagnose=False)
        return self._work(work.student, task, stand_ins=work.stand_ins)

    def stand_in(self, name: str) -> tuple[str, bytes]:
        return f"stand_ins/{name}.py", self.course.stand_in(name).read_bytes()

    def _work(self, student: str, task: Task, **built_on: frozenset[str]) -> Work:
        how = f"{task.problem} {task.seed} {task.only} {task.first_failure} {task.diagnose}"
        key = hash_sources(task.sources, extra=f"{self.fingerprints[task.exercise]} {how}")
        return Work(student=student, task=task, key=key, **built_on)


def _judge_all(settings: Settings, works: Sequence[Work]) -> Generator[tuple[Work, ExerciseResult], None, None]:
    """Judge in parallel; results come as they are ready, and only the caller's thread sees them."""
    todo: queue.SimpleQueue[Work] = queue.SimpleQueue()
    done: queue.SimpleQueue[tuple[Work, ExerciseResult | BaseException]] = queue.SimpleQueue()
    for work in works:
        todo.put(work)
    needed = {work.task.exercise for work in works}
    exercises = tuple(exercise for exercise in settings.exercises if exercise.name in needed)
    judges = msgspec.structs.replace(settings, exercises=exercises).make_judges(min(settings.jobs, len(works)))
    stop = threading.Event()

    def run(judge: Grading) -> None:
        while not stop.is_set():
            try:
                work = todo.get_nowait()
            except queue.Empty:
                judge.close(now=False)  # here, because a judge dies with the thread that started it
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
    finally:  # also after Ctrl-C: what is under way is dropped, what is finished is in the gradebook
        stop.set()
        for judge in judges:
            judge.close(now=True)
