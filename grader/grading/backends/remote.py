"""What a cluster worker does for one run: it compares itself with the coordinator, and keeps one judge warm.

The judge belongs to a thread of its own, because it dies with the thread that started it. If nobody asks for long (a
coordinator that was killed cannot say goodbye), the judge ends; the next task starts another. This one thread serves
the whole run: in Python 3.11, a thread that ends while dask's profiler looks at all threads can lock the process up.
"""

from __future__ import annotations

import os
import platform
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
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
        self.judge: Judge | None = None
        self.busy = False
        self.requests: queue.SimpleQueue[tuple[Callable[[], Reply], Future[bytes]] | None] = queue.SimpleQueue()
        self.thread = threading.Thread(target=self._serve, name="judge", daemon=True)
        self.thread.start()

    def check(self) -> bytes:
        """Whether this machine gives the verdicts that the coordinator's would give."""
        return self._answer(lambda: self._refusal(*self._find()) or Agreed())

    def grade(self, task: bytes) -> bytes:
        """Judge one task, once the tasks before it are done."""
        return self._answer(lambda: self._grade(task))

    def close(self) -> None:
        """End the judge: in order if it is idle, else at once."""
        judge = self.judge
        if judge and self.busy:
            judge.close(now=True)
        self.requests.put(None)
        self.thread.join()

    def _answer(self, work: Callable[[], Reply]) -> bytes:
        answer: Future[bytes] = Future()
        self.requests.put((work, answer))
        return answer.result()

    def _serve(self) -> None:
        """The judge's thread: one request after the other, until it is closed."""
        while True:
            try:
                request = self.requests.get(timeout=self.idle)
            except queue.Empty:
                self._end_judge()
                continue
            if request is None:
                break
            work, answer = request
            answer.set_result(_guarded(work))
        self._end_judge()
        while not self.requests.empty():  # whoever waits is let go
            if late := self.requests.get():
                late[1].set_result(encode(Broken("the run has ended")))

    def _grade(self, data: bytes) -> Reply:
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

    def _find(self) -> tuple[Course | GraderError, Layers]:
        folder = Path(os.environ.get(COURSE) or self.terms.folder)
        try:
            return find_course(folder), find_layers()
        except GraderError as error:
            return error, find_layers()

    def _refusal(self, course: Course | GraderError, layers: Layers) -> Refused | None:
        if isinstance(course, GraderError):
            differences = [Difference(what="the course", wanted="", found=str(course))]
        else:
            wanted, found = self.terms.decisive, self._decisive(course, layers)
            differences = [
                Difference(what=what, wanted=wanted.get(what, ABSENT), found=found.get(what, ABSENT))
                for what in {**wanted, **found}
                if wanted.get(what) != found.get(what)
            ]
        return Refused(host=platform.node(), differences=tuple(differences)) if differences else None

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


def _guarded(work: Callable[[], Reply]) -> bytes:
    """The answer as bytes, also if it is an error: no exception is pickled."""
    try:
        return encode(work())
    except Exception as error:
        return encode(Broken(f"{type(error).__name__}: {error}"))


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
