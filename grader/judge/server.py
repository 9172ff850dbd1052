"""The warm judge: a pytest process that has collected the suites and forks a child for every submission.

It takes tasks from one socket and answers with events. The suites are run once on the solutions before the first
task: that loads whatever is loaded lazily, so that no child pays for it, and shows at once if a suite is broken.

A child judges one submission and ends; so nothing that a test leaves behind reaches the next student, and memory does
not grow. A child that hangs or dies is our fault, never the student's: the student's code is not in it.
"""

from __future__ import annotations

import gc
import os
import select
import signal
import socket
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec
import pytest

from grader.judge.diagnosis import Suspects, diagnose, load_suspects
from grader.judge.events import Collected, Diagnosed, Done, Ready, write_event
from grader.judge.outcomes import StudentFailure
from grader.judge.suites import find_suite
from grader.judge.task import Task
from grader.judge.transports.confined import ConfinedTransport
from grader.judge.verdicts import combine
from grader.sandbox import linux
from grader.sandbox.launcher import Zygote, ZygoteDied
from grader.sandbox.layers import Layers

if TYPE_CHECKING:
    from grader.judge.plugin import GraderPlugin

GRACE = 30.0  # seconds beyond an exercise's budget before a child is taken for lost


class JudgeServer:
    """Serves tasks from a socket with the tests that pytest has collected."""

    def __init__(self, plugin: GraderPlugin, descriptor: int, layers: Layers) -> None:
        self.plugin = plugin
        self.channel = socket.socket(fileno=descriptor)
        self.events = self.channel.makefile("wb")
        self.tasks = self.channel.makefile("rb")
        self.layers = layers
        self.zygote: Zygote | None = None
        self.faults: dict[str, str] = {}
        self.suspects: dict[str, Suspects | None] = {}  # by exercise, as far as they were needed

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        suite = find_suite(self.plugin.config.rootpath / report.nodeid) if report.failed else None
        if suite:
            self.faults[suite.exercise.name] = f"its tests cannot be collected: {report.longreprtext}"

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        linux.prctl(linux.PR_SET_PDEATHSIG, signal.SIGKILL)  # a coordinator that is killed leaves nobody behind
        by_exercise: dict[str, list[pytest.Item]] = {}
        for item in session.items:
            by_exercise.setdefault(self.plugin.suite(item).exercise.name, []).append(item)
        self.zygote = Zygote(self.layers)
        try:
            unsound = {name: self.rehearse(items) for name, items in by_exercise.items()}
            self.zygote.wait()
            for name, items in by_exercise.items():
                unsound[name] |= self.try_accelerator(items)
            write_event(self.events, Ready(self.faults, unsound))
            gc.collect()
            gc.freeze()
            linux.collapse_memory()
            while line := self.tasks.readline():
                task = msgspec.json.decode(line, type=Task)
                write_event(self.events, Done(self.judge(task, by_exercise.get(task.exercise, []))))
        finally:
            self.zygote.close()
        return True

    def rehearse(self, items: list[pytest.Item]) -> dict[str, str]:
        """Run the tests on the solution, here; a criterion that it fails is unsound."""
        suite = self.plugin.suite(items[0])
        solution = suite.course.solution(suite.exercise)
        if not solution.is_file():
            return {}
        self.plugin.submission = solution
        # Not the tests on a device: the accelerator could not be taken away. Nor the long ones: nobody would wait.
        _run([item for item in items if not _needs_device(item) and not self.plugin.criterion(item).long])
        failed = [r for results in self.plugin.results.values() for r in results if not r.passed]
        self.plugin.forget()
        self.plugin.submission = None
        return {r.criterion.id: f"the solution itself fails it: {r.message}" for r in failed}

    def try_accelerator(self, items: list[pytest.Item]) -> dict[str, str]:
        """Whether a worker can simulate the accelerator at all; if not, its criteria are unsound."""
        concerned = [item for item in items if _needs_device(item)]
        if not concerned or self.zygote is None:
            return {}
        suite = self.plugin.suite(concerned[0])
        nothing = {suite.exercise.name: (f"{suite.exercise.name}.py", b"")}
        deadline = time.monotonic() + GRACE
        transport = ConfinedTransport(suite.exercise, nothing, self.zygote, deadline=lambda: deadline)
        try:
            transport.load(simulate=True)
        except StudentFailure as failure:
            return {self.plugin.criterion(item).id: failure.message for item in concerned}
        finally:
            transport.close()
        return {}

    def judge(self, task: Task, items: list[pytest.Item]) -> str:
        """Judge one submission in a child; a description of our fault, or nothing."""
        assert self.zygote is not None
        if self.zygote.process.poll() is not None:
            self.renew()
        if task.diagnose and items and task.exercise not in self.suspects:  # here, once, and not in every child
            suite = self.plugin.suite(items[0])
            self.suspects[task.exercise] = load_suspects(suite.course, suite.exercise)
        child = os.fork()
        if child == 0:
            _guarded(lambda: self.run_child(task, items))
        budget = self.plugin.suite(items[0]).exercise.budget if items else 0.0
        status = _wait(child, budget + GRACE)
        if status == 0:
            return ""
        self.renew()  # whatever worker it had is gone with its zygote
        return "the judge's child " + ("hung" if status is None else f"ended with status {status}")

    def renew(self) -> None:
        assert self.zygote is not None
        accelerated = self.zygote.accelerated is not None
        self.zygote.close()
        self.zygote = Zygote(self.layers)
        if accelerated:  # here, so that every child finds it
            self.zygote.accelerate()
        self.zygote.wait()

    def run_child(self, task: Task, items: list[pytest.Item]) -> None:
        assert self.zygote is not None
        gc.disable()  # a child is gone before its garbage is worth a look
        plugin = self.plugin
        exercise = plugin.suite(items[0]).exercise
        items = [item for item in items if not task.only or plugin.criterion(item).id in task.only]
        transport = ConfinedTransport(
            exercise, task.sources, self.zygote, deadline=lambda: plugin.deadline, problem=task.problem
        )
        plugin.connect(lambda: transport, self.events)
        if task.seed is not None:
            plugin.reseed(task.seed, items)
        write_event(self.events, Collected(plugin.criteria(items)))
        plugin.recordings = {} if task.diagnose else None
        _run(items, until=plugin.has_failure if task.first_failure else lambda: False)
        if transport.fault:
            raise transport.fault
        transport.close()
        suspects = self.suspects.get(task.exercise)
        if plugin.recordings and suspects:
            passed = {id_ for (_, id_), results in plugin.results.items() if combine(results).passed}
            of_passed = {id_: tests for id_, tests in plugin.recordings.items() if id_ in passed}
            of_failed = {id_: tests for id_, tests in plugin.recordings.items() if id_ not in passed}
            for id_, mistakes in diagnose(suspects, of_failed, of_passed).items():
                write_event(self.events, Diagnosed(id_, mistakes))


def _needs_device(item: pytest.Item) -> bool:
    return "device" in getattr(item, "fixturenames", ())


def _run(items: list[pytest.Item], until: Callable[[], bool] = lambda: False) -> None:
    for item, following in zip(items, [*items[1:], None], strict=True):
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if until():
            return


def _guarded(work: Callable[[], None]) -> None:
    """Do the work of a child and end, whatever happens."""
    status = 1
    try:
        linux.prctl(linux.PR_SET_PDEATHSIG, signal.SIGKILL)
        work()
        status = 0
    except ZygoteDied as error:
        print(f"zygote: {error}", file=sys.stderr)
        status = 2
    except BaseException as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
    finally:
        os._exit(status)


def _wait(child: int, seconds: float) -> int | None:
    """The child's exit status, or None if it had to be killed."""
    handle = os.pidfd_open(child)
    try:
        poll = select.poll()
        poll.register(handle, select.POLLIN)
        ended = bool(poll.poll(seconds * 1000))
        if not ended:
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        return os.waitstatus_to_exitcode(status) if ended else None
    finally:
        os.close(handle)
