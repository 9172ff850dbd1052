"""The warm judge: a pytest process that has collected the suites and forks a child for every submission.

It takes tasks from one socket and answers with events. Before the first task of an exercise its suites are run once on
the solution: that loads whatever is loaded lazily, so that no child pays for it, and shows whether a suite is broken.

A child judges one submission and ends; so nothing that a test leaves behind reaches the next student, and memory does
not grow. A child that hangs or dies is replaced, and goes on where it was.
"""

from __future__ import annotations

import gc
import re
import resource
import signal
import socket
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import msgspec
import pytest
from _pytest.runner import runtestprotocol

from grader.course import Course
from grader.course.names import wanted_names
from grader.course.suites import Suite, find_suite
from grader.judge.diagnosis.diagnose import diagnose
from grader.judge.diagnosis.recognise import answers_of
from grader.judge.diagnosis.recording import Recordings
from grader.judge.diagnosis.suspects import Suspects, load_suspects
from grader.judge.processes.child_process import ZYGOTE_DIED, run_child
from grader.judge.processes.events import Answers, Collected, Done, Finished, Ready, write_event
from grader.judge.processes.task import Part, Task
from grader.judge.suite.student import Session
from grader.judge.suite.verdicts import combine, examiner_lost
from grader.judge.transports.base import Transport
from grader.judge.transports.confined import ConfinedTransport
from grader.judge.transports.inprocess import InProcessTransport
from grader.results.records import Criterion
from grader.sandbox.launcher import Zygote, ZygoteDied, share_of_machine
from grader.sandbox.layers import Layers
from grader.wire.notebook import is_notebook
from grader.worker import linux

if TYPE_CHECKING:
    from grader.judge.plugin import SuitePlugin

OVERHEAD = 30.0  # seconds for our own work around an exercise's tests
TRIES = 2  # so often a child may end at the same criterion before the data that it looked at is to blame
TORCH = re.compile(r"^\s*(import|from)\s+torch\b", re.MULTILINE)
OPTIMIZER = re.compile(r"\boptim\b")
MEMORY = 4 << 30  # bytes at most for a child beyond what the judge has: what a student returns can be multiplied


class JudgeServer:
    """Serves tasks from a socket with the tests that pytest has collected."""

    def __init__(self, plugin: SuitePlugin, descriptor: int, layers: Layers) -> None:
        self.plugin = plugin
        self.channel = socket.socket(fileno=descriptor)
        self.events = self.channel.makefile("wb")
        self.tasks = self.channel.makefile("rb")
        self.layers = layers
        self.zygote: Zygote | None = None
        self.torch = True  # whether workers begin with torch imported
        self.faults = plugin.faults
        self.unsound: dict[str, dict[str, str]] = {}  # by exercise, as far as it was rehearsed
        self.suspects: dict[str, Suspects | None] = {}  # by exercise, as far as they were needed

    def pytest_exception_interact(self, node: pytest.Collector, call: pytest.CallInfo[Any], report: Any) -> None:
        """A suite that cannot be collected is a fault of its exercise, told with the place in the course."""
        suite = find_suite(node.path) if isinstance(report, pytest.CollectReport) else None
        if suite and call.excinfo:
            words = _why_not_collected(call.excinfo.value, suite.course.root)
            self.faults[suite.exercise.name] = f"its tests cannot be collected: {words}"

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        linux.prctl(linux.PR_SET_PDEATHSIG, signal.SIGKILL)  # a coordinator that is killed leaves nobody behind
        by_exercise: dict[str, list[pytest.Item]] = {}
        for item in session.items:
            by_exercise.setdefault(self.plugin.suite(item).exercise.name, []).append(item)
        self.torch = any(uses_torch(course) for course in {self.plugin.suite(item).course for item in session.items})
        self.zygote = Zygote(self.layers, torch=self.torch)
        try:
            self.zygote.wait()
            if any(map(_needs_device, session.items)):
                self.zygote.accelerate()  # here, so that every child finds it
            write_event(self.events, Ready(self.faults))
            while line := self.tasks.readline():
                task = msgspec.json.decode(line, type=Task)
                items = by_exercise.get(task.exercise, [])
                self.plugin.reseed(task.seed, task.draw, items)
                self.make_ready(task, items)
                start = time.monotonic()
                fault = self.judge(task, items)
                write_event(self.events, Done(fault, time.monotonic() - start))
        finally:
            self.zygote.close()
        return True

    def make_ready(self, task: Task, items: list[pytest.Item]) -> None:
        """See to the zygote, and before the first task of an exercise to its tests; this is not the student's time."""
        assert self.zygote is not None
        if self.zygote.process.poll() is not None:
            self.renew()
        if not items or not task.sources or task.exercise in self.unsound:
            return
        self.unsound[task.exercise] = self.rehearse(items)
        if task.diagnose:
            self.learn_mistakes(self.plugin.suite(items[0]))
        _print_little()
        gc.collect()
        gc.freeze()
        linux.collapse_memory()

    def rehearse(self, items: list[pytest.Item]) -> dict[str, str]:
        """Run the tests on the solution, in a worker; a criterion that it fails is unsound."""
        assert self.zygote is not None
        suite = self.plugin.suite(items[0])
        solution = suite.course.solution(suite.exercise)
        if not solution.is_file():
            return {}
        files = suite.student_files(solution)
        sources = {name: (path.name, path.read_bytes()) for name, path in files.items() if path.is_file()}
        # A busy machine shall not make a suite unsound, so the solution has longer than a student's code.
        transport = ConfinedTransport(
            suite.exercise, sources, self.zygote, deadline=lambda: time.monotonic() + OVERHEAD
        )  # the solution is no notebook, so nobody asks which names are wanted
        self.plugin.sessions[suite.exercise.name] = Session(transport)
        _run([item for item in items if not self.plugin.criterion(item).long])  # for those nobody would wait
        if transport.fault:
            raise transport.fault
        transport.close()
        failed = [r for results in self.plugin.results.values() for r in results if not r.passed]
        self.plugin.forget()
        return {r.criterion.id: f"the solution itself fails it: {r.message}" for r in failed}

    def learn_mistakes(self, suite: Suite) -> None:
        """Here, once, and not in every child, as all that a diagnosis of a model needs: torch's first optimizer imports
        a compiler, which takes seconds."""
        suspects = self.suspects[suite.exercise.name] = load_suspects(suite.course, suite.exercise)
        if suspects and OPTIMIZER.search(suspects.source) and (torch := sys.modules.get("torch")):
            torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.1)

    def judge(self, task: Task, items: list[pytest.Item]) -> str:
        """Judge one submission, in as many children as it takes; a description of our fault, or nothing."""
        if not items:
            return "it has no tests"
        plugin, suite = self.plugin, self.plugin.suite(items[0])
        if task.diagnose and task.exercise not in self.suspects:
            self.learn_mistakes(suite)
        items = [item for item in items if is_asked(plugin.criterion(item), task)]
        criteria = {criterion.id: criterion for criterion in plugin.criteria(items)}
        unsound = self.unsound.get(task.exercise, {})
        write_event(self.events, Collected(tuple(criteria.values()), unsound), at_once=False)
        if not items:
            return ""
        limits = {c.id: c.timeout * plugin.tests[task.exercise, c.id] for c in criteria.values()}
        deadline = time.monotonic() + (task.budget or suite.exercise.budget)
        finished: set[str] = set()
        deaths: Counter[str] = Counter()
        while True:
            left = [item for item in items if plugin.criterion(item).id not in finished]
            outcome = run_child(partial(self.run_child, task, left, deadline), limits, self.events)
            finished |= outcome.finished
            if outcome.status == 0:
                return ""
            self.renew()  # whatever worker the child had is gone with its zygote
            if finished == set(criteria):  # all that a late death costs is a diagnosis
                return ""
            if outcome.status == ZYGOTE_DIED or not outcome.running:
                return "the judge's child " + (
                    "hung" if outcome.status is None else f"ended with status {outcome.status}"
                )
            deaths[outcome.running] += 1
            if deaths[outcome.running] == TRIES:
                finished.add(outcome.running)
                blamed = examiner_lost(criteria[outcome.running], hung=outcome.status is None)
                write_event(self.events, Finished(blamed))
                if task.first_failure or finished == set(criteria):
                    return ""

    def renew(self) -> None:
        assert self.zygote is not None
        accelerated = self.zygote.accelerated is not None
        self.zygote.close()
        self.zygote = Zygote(self.layers, torch=self.torch)
        self.zygote.wait()
        if accelerated:
            self.zygote.accelerate()

    def run_child(self, task: Task, items: list[pytest.Item], deadline: float, events: BinaryIO) -> None:
        assert self.zygote is not None
        gc.disable()  # a child is gone before its garbage is worth a look
        limit = linux.memory_used() + min(MEMORY, share_of_machine())
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        plugin = self.plugin
        exercise = plugin.suite(items[0]).exercise
        has_notebook = any(is_notebook(source) for _, source in task.sources.values())
        wanted = wanted_names(plugin.suite(items[0]).course, exercise) if has_notebook else ()
        transport: Transport
        if task.in_process:
            transport = InProcessTransport(exercise, task.sources, problem=task.problem, wanted=wanted)
        else:
            transport = ConfinedTransport(
                exercise, task.sources, self.zygote, deadline=lambda: plugin.deadline, problem=task.problem,
                wanted=wanted,
            )  # fmt: skip
        session = Session(transport, exercise.budget, deadline)
        plugin.connect(session, exercise, events)
        session.prepare()
        plugin.recordings = Recordings() if task.diagnose or task.answers else None
        _run(items, until=plugin.has_failure if task.first_failure else lambda: False)
        events.flush()
        if isinstance(transport, ConfinedTransport) and transport.fault:
            raise transport.fault
        transport.close()
        if plugin.recordings and task.answers:
            write_event(events, Answers(answers_of(plugin.recordings.by_criterion)))
        suspects = self.suspects.get(task.exercise) if task.diagnose else None
        if plugin.recordings and suspects and not session.imported.problem:
            passed = {id_ for (_, id_), results in plugin.results.items() if combine(results).passed}
            recorded = plugin.recordings.by_criterion
            of_passed = {id_: tests for id_, tests in recorded.items() if id_ in passed}
            of_failed = {id_: tests for id_, tests in recorded.items() if id_ not in passed}
            # At once: a child ends without a flush.
            write_event(events, diagnose(suspects, of_failed, of_passed, deadline))
        if self.zygote.undying:
            raise ZygoteDied("a worker does not die")  # so the next submission gets a new one


def uses_torch(course: Course) -> bool:
    """Whether a solution or suite of the course imports torch: then all students get it, in all exercises."""
    files = [file for e in course.exercises for file in (course.solution(e), *course.suites(e)) if file.is_file()]
    return any(TORCH.search(file.read_text(encoding="utf-8", errors="replace")) for file in files)


def is_asked(criterion: Criterion, task: Task) -> bool:
    """Whether the task is about this criterion."""
    in_part = task.part is Part.ALL or criterion.long is (task.part is Part.LONG)
    return in_part and (not task.only or criterion.id in task.only)


def _why_not_collected(error: BaseException, root: Path) -> str:
    """The error of an import, with the last line of the course that it passed."""
    if isinstance(error, pytest.Collector.CollectError) and error.__cause__:
        error = error.__cause__
    words = f"{type(error).__name__}: {error}".strip()
    if isinstance(error, SyntaxError):  # it says itself where
        return words
    places = [(Path(frame.filename), frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    ours = [f"{path.relative_to(root)}:{line}: " for path, line in places if path.is_relative_to(root)]
    return f"{ours[-1] if ours else ''}{words}"


def _print_little() -> None:
    """Of a tensor with many axes torch would print millions of numbers, for a message that is cut."""
    if "torch" in sys.modules:
        sys.modules["torch"].set_printoptions(threshold=100, edgeitems=1)


def _needs_device(item: pytest.Item) -> bool:
    return "device" in getattr(item, "fixturenames", ())


def _run(items: list[pytest.Item], until: Callable[[], bool] = lambda: False) -> None:
    for item, following in zip(items, [*items[1:], None], strict=True):
        runtestprotocol(item, log=False, nextitem=following)
        if until():
            return
