"""From what students handed in to tasks for a judge, each with the key under which its result is kept."""

from __future__ import annotations

from typing import Any

import msgspec

from grader.course import Exercise
from grader.course.suites import read_suites
from grader.grading.keys import fingerprint, hash_sources
from grader.grading.settings import Settings
from grader.judge.processes.task import Part, Task
from grader.submissions.base import Sources, Submission


class Work(msgspec.Struct, frozen=True, kw_only=True):
    """A task for a judge: some criteria of one exercise for one student."""

    student: str
    task: Task
    key: str

    def within(self, seconds: float) -> Work:
        """The same work, to be done in this time; its key stays."""
        return msgspec.structs.replace(self, task=msgspec.structs.replace(self.task, budget=seconds))


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One exercise of one student: what is judged at once, and what trains a model and is judged after all else."""

    student: str
    exercise: str
    short: Work
    long: Work | None = None  # None: no criterion trains a model, or nobody wants these
    own: frozenset[str] = frozenset()  # earlier exercises that it builds on, with modules of the student's
    stand_ins: frozenset[str] = frozenset()  # those in whose place the course's modules are used

    @property
    def works(self) -> tuple[Work, ...]:
        return (self.short, self.long) if self.long else (self.short,)


class TaskReader:
    """Turns what students handed in into tasks for a judge."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.course = settings.course
        self.quick = settings.quick
        self.diagnose = settings.diagnose
        self.seed = settings.seed
        self.fingerprints = {exercise.name: fingerprint(settings, exercise) for exercise in settings.exercises}
        suites = {exercise.name: read_suites(self.course, exercise) for exercise in settings.exercises}
        self.order = {name: tuple(test.id for test in tests) for name, tests in suites.items()}  # of the criteria
        self.training = {name for name, tests in suites.items() if any(test.long for test in tests)}

    def entry(self, submission: Submission, exercise: Exercise) -> Entry:
        """Everything that is to be judged of one exercise of one student."""
        task, own = self._task(submission, exercise)
        return self._entry(submission.student, task, own=own)

    def work(self, submission: Submission, exercise: Exercise, **how: Any) -> Work:
        """One task for all criteria; ``how`` goes into it (``draw``, ``only``, …)."""
        task, _ = self._task(submission, exercise)
        part = Part.SHORT if self.quick and exercise.name in self.training else Part.ALL
        return self._work(submission.student, msgspec.structs.replace(task, part=part, **how))

    def with_stand_ins(self, entry: Entry, names: frozenset[str]) -> Entry:
        """The same entry, but with the course's own modules in the place of these exercises'.

        How much time is left for it is this student's own affair, so its results are shared with nobody.
        """
        sources = {**entry.short.task.sources, **{name: self.stand_in(name) for name in names}}
        task = msgspec.structs.replace(entry.short.task, sources=sources)
        return self._entry(entry.student, task, stand_ins=names)

    def stand_in(self, name: str) -> tuple[str, bytes]:
        return f"stand_ins/{name}.py", self.course.stand_in(name).read_bytes()

    def _task(self, submission: Submission, exercise: Exercise) -> tuple[Task, frozenset[str]]:
        """All criteria of one exercise for one student, and which of the earlier modules are the student's."""
        sources: Sources = {}
        problem = ""
        own = set()
        main = submission.sources.get(exercise.name)
        if main is not None:
            problem = main.problem
            sources |= main.helpers
            for name in exercise.builds_on:
                earlier = submission.sources.get(name)
                usable = earlier is not None and not earlier.problem
                sources[name] = (f"{name}.py", earlier.content) if earlier and usable else self.stand_in(name)
                own |= {name} if usable else set()
            sources[exercise.name] = (f"{exercise.name}.py", main.content)
        task = Task(
            exercise=exercise.name, sources=sources, problem=problem, seed=self.seed, diagnose=self.diagnose
        )  # fmt: skip
        return task, frozenset(own)

    def _entry(
        self, student: str, task: Task, *, own: frozenset[str] = frozenset(), stand_ins: frozenset[str] = frozenset()
    ) -> Entry:
        trains = task.exercise in self.training

        def work(part: Part) -> Work:
            return self._work(student, msgspec.structs.replace(task, part=part), shared=not stand_ins)

        return Entry(
            student=student,
            exercise=task.exercise,
            short=work(Part.SHORT if trains else Part.ALL),
            long=work(Part.LONG) if trains and not self.quick else None,
            own=own,
            stand_ins=stand_ins,
        )

    def _work(self, student: str, task: Task, *, shared: bool = True) -> Work:
        how = msgspec.structs.replace(task, sources={}, budget=None)  # the sources are hashed as bytes
        whose = "" if shared else f" of {student}"
        key = hash_sources(task.sources, extra=f"{self.fingerprints[task.exercise]} {how}{whose}")
        return Work(student=student, task=task, key=key)
