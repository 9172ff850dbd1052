"""What a cluster worker does for one run: it compares itself with the coordinator, and keeps one judge warm.

The judge belongs to a thread of its own, because it dies with the thread that started it. If nobody asks for long (a
coordinator that was killed cannot say goodbye), the judge ends; the next task starts another.
"""

from __future__ import annotations

import os
import platform
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from grader.course import Course, find_course
from grader.errors import GraderError
from grader.grading.backends.messages import (
    Agreed,
    Broken,
    Difference,
    Judged,
    Refused,
    Reply,
    Terms,
    decode_task,
    decode_terms,
    encode,
)
from grader.grading.keys import decisive
from grader.grading.settings import Settings
from grader.judge.processes.task import Judge
from grader.sandbox.layers import Layers, find_layers

COURSE = "GRADER_COURSE"  # the variable with the course's folder, where it is not that of the coordinator
IDLE = 600.0  # seconds without a task, after which the judge ends
ABSENT = "absent"


class RemoteJudge:
    """The judge of one run in this process; every method may be called from any thread."""

    def __init__(self, terms: bytes, idle: float = IDLE) -> None:
        self.terms = decode_terms(terms)
        self.idle = idle
        self.thread = ThreadPoolExecutor(1, thread_name_prefix="judge")
        self.judge: Judge | None = None
        self.busy = False
        self.timer: threading.Timer | None = None

    def check(self) -> bytes:
        """Whether this machine gives the verdicts that the coordinator's would give."""
        return self._answer(lambda: self._refusal(*self._find()) or Agreed())

    def grade(self, task: bytes) -> bytes:
        """Judge one task, once the tasks before it are done."""
        return self._answer(lambda: self._grade(task))

    def close(self) -> None:
        """End the judge: in order if it is idle, else at once."""
        self._wait_no_longer()
        judge = self.judge
        if judge and self.busy:
            judge.close(now=True)
        self.thread.submit(self._end_judge)
        self.thread.shutdown()

    def _answer(self, work: Callable[[], Reply]) -> bytes:
        """The answer as bytes, also if it is an error: a pickled exception is none of ours to send."""

        def guarded() -> bytes:
            try:
                return encode(work())
            except Exception as error:
                return encode(Broken(f"{type(error).__name__}: {error}"))

        return self.thread.submit(guarded).result()

    def _grade(self, data: bytes) -> Reply:
        self._wait_no_longer()
        self.busy = True
        try:
            if self.judge is None:
                course, layers = self._find()
                if refusal := self._refusal(course, layers):
                    return refusal
                assert isinstance(course, Course)
                self.judge = self._start(course, layers)
            return Judged(self.judge.grade(decode_task(data)))
        finally:
            self.busy = False
            self.timer = threading.Timer(self.idle, lambda: self.thread.submit(self._end_judge))
            self.timer.daemon = True
            self.timer.start()

    def _find(self) -> tuple[Course | GraderError, Layers]:
        folder = Path(os.environ.get(COURSE) or self.terms.folder)
        try:
            return find_course(folder), find_layers()
        except GraderError as error:
            return error, find_layers()

    def _refusal(self, course: Course | GraderError, layers: Layers) -> Refused | None:
        found = {"the course": str(course)} if isinstance(course, GraderError) else self._decisive(course, layers)
        differences = tuple(
            Difference(what=what, wanted=self.terms.decisive.get(what, ABSENT), found=found.get(what, ABSENT))
            for what in {**self.terms.decisive, **found}
            if self.terms.decisive.get(what) != found.get(what) and ("the course" not in found or what == "the course")
        )
        return Refused(host=platform.node(), differences=differences) if differences else None

    def _decisive(self, course: Course, layers: Layers) -> dict[str, str]:
        wanted = [exercise for exercise in course.exercises if exercise.name in self.terms.exercises]
        settings = Settings(
            course=course, exercises=tuple(wanted), seed="", jobs=1, layers=layers, diagnose=self.terms.diagnose
        )  # fmt: skip
        return all_decisive(settings)

    def _start(self, course: Course, layers: Layers) -> Judge:
        from grader.judge.processes.warm import WarmJudge  # needs Linux

        return WarmJudge(course, course.select(self.terms.exercises), layers)

    def _end_judge(self) -> None:
        if self.judge is not None:
            self.judge.close(now=False)
            self.judge = None

    def _wait_no_longer(self) -> None:
        if self.timer is not None:
            self.timer.cancel()


def terms_of(settings: Settings) -> Terms:
    """What cluster workers must know and have to take part in a run with these settings."""
    return Terms(
        folder=str(settings.course.root),
        exercises=tuple(exercise.name for exercise in settings.exercises),
        diagnose=settings.diagnose,
        decisive=all_decisive(settings),
    )


def all_decisive(settings: Settings) -> dict[str, str]:
    """What decides about verdicts in all exercises that are graded."""
    return {what: value for exercise in settings.exercises for what, value in decisive(settings, exercise).items()}
