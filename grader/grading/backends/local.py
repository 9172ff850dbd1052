"""Judges on this machine: one thread for each, which starts its judge when there is work and keeps it warm."""

from __future__ import annotations

import os
import queue
import random
import threading
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Self

from grader.grading.backends.queue import WorkQueue
from grader.grading.settings import Settings
from grader.grading.tasks import Work
from grader.judge.processes.task import Judge
from grader.results.records import ExerciseResult


class LocalBackend:
    """As many judges as the settings say, or as there is work for."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.todo = WorkQueue()
        self.done: queue.SimpleQueue[tuple[Work, ExerciseResult | BaseException]] = queue.SimpleQueue()
        self.judges: list[Judge] = []
        self.threads: list[threading.Thread] = []
        self.cores = _cores(settings.jobs)

    def __enter__(self) -> Self:
        return self

    def judge(self, works: Sequence[Work]) -> Iterator[tuple[Work, ExerciseResult]]:
        """Judge in parallel; only the caller's thread sees the results."""
        self.todo.put(works)
        while len(self.threads) < min(self.settings.jobs, len(works)):
            self._start()
        for _ in works:
            work, result = self.done.get()
            if isinstance(result, BaseException):
                raise result
            yield work, result

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """After an error (Ctrl-C is one) what is under way is dropped; what is finished was handed out."""
        self.todo.close()
        if kind is not None:
            for judge in self.judges:
                judge.close(now=True)
            return
        for thread in self.threads:
            thread.join()

    def _start(self) -> None:
        judge = self._make_judge(len(self.judges))
        thread = threading.Thread(target=self._work, args=[judge], daemon=True)
        self.judges.append(judge)
        self.threads.append(thread)
        thread.start()

    def _make_judge(self, number: int) -> Judge:
        settings = self.settings
        if settings.layers is None:
            from grader.judge.processes.oneshot import UnconfinedJudge

            return UnconfinedJudge(settings.course)
        from grader.judge.processes.warm import WarmJudge  # needs Linux

        core = self.cores[number % len(self.cores)] if self.cores else None
        return WarmJudge(settings.course, settings.exercises, settings.layers, core=core)

    def _work(self, judge: Judge) -> None:
        prepared: set[str] = set()
        while (work := self.todo.take(prepared)) is not None:
            try:
                self.done.put((work, judge.grade(work.task)))
            except BaseException as error:  # a bug of ours: it must reach the main thread
                self.done.put((work, error))
        judge.close(now=False)  # here, because a judge dies with the thread that started it


def _cores(jobs: int) -> list[int]:
    """A core for each judge, in random order; none where a judge is alone and may use them all."""
    if jobs == 1 or not hasattr(os, "sched_getaffinity"):
        return []
    cores = sorted(os.sched_getaffinity(0))
    return random.sample(cores, k=len(cores))
