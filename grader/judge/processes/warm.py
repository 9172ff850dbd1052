"""Warm judges for the coordinator: start them, give them tasks, replace them when they fail."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence

import msgspec

from grader.course import Course, Exercise
from grader.course.misconceptions import load_misconceptions
from grader.judge.processes.command import pytest_command, pytest_environment
from grader.judge.processes.events import (
    Answers,
    Collected,
    Diagnosed,
    Done,
    Event,
    Finished,
    Imported,
    Ready,
    read_events,
)
from grader.judge.processes.server import OVERHEAD
from grader.judge.processes.task import JudgeFault, Task
from grader.results.records import Criterion, CriterionResult, Diagnosis, ExerciseResult, Finding, Verdict
from grader.sandbox.layers import Layers

START_UP = 240.0  # seconds in which a judge must be warm, on a busy machine
TRIES = 2
END_BY_ITSELF = 10.0  # seconds for an idle judge


class WarmJudge:
    """One warm judge process; give it one task at a time."""

    def __init__(
        self,
        course: Course,
        exercises: Sequence[Exercise],
        layers: Layers,
        *,
        core: int | None = None,
    ) -> None:
        self.course = course
        self.exercises = {exercise.name: exercise for exercise in exercises}
        self.layers = layers
        self.core = core  # the processor for it and its workers: a student's threads starve nobody else's
        self.process: subprocess.Popen[bytes] | None = None
        self.closed = False
        self.answers = Answers({})  # of the newest task, if they were asked for
        self.diagnosed = Diagnosed((), explained=False)  # and what a diagnosis found

    def grade(self, task: Task) -> ExerciseResult:
        """Judge one task. After a fault of ours it is tried once more; a second fault is in the result."""
        for attempt in range(TRIES):
            try:
                return self._try(task, last=attempt == TRIES - 1)
            except JudgeFault as fault:
                self._stop()
                problem = str(fault)
        return ExerciseResult(name=task.exercise, criteria=(), fault=problem)

    def _try(self, task: Task, *, last: bool) -> ExerciseResult:
        if self.closed:
            raise JudgeFault("the run was stopped")
        if self.process is None:
            self._start()
        if fault := self.ready.faults.get(task.exercise):
            return ExerciseResult(name=task.exercise, criteria=(), fault=fault)
        self._send(msgspec.json.encode(task) + b"\n")
        # The first task of an exercise also waits until its tests have run on the solution.
        deadline = time.monotonic() + _one_try(self.exercises[task.exercise])
        criteria: tuple[Criterion, ...] = ()
        unsound: dict[str, str] = {}
        results: dict[str, CriterionResult] = {}
        self.diagnosed = Diagnosed((), explained=False)
        self.answers = Answers({})
        imported = Imported()
        while True:
            event = self._receive(deadline)
            if isinstance(event, Collected):
                criteria, unsound = event.criteria, event.unsound
            elif isinstance(event, Finished):
                results[event.result.criterion.id] = event.result
            elif isinstance(event, Imported):
                imported = event
            elif isinstance(event, Diagnosed):
                self.diagnosed = event
            elif isinstance(event, Answers):
                self.answers = event
            elif isinstance(event, Done):
                fault, seconds = event.fault, event.seconds
                break
        if task.first_failure and not fault:
            criteria = tuple(criterion for criterion in criteria if criterion.id in results)
        if not fault and len(results) < len(criteria):
            fault = "the judge did not finish"
        if fault and not (last and criteria):
            raise JudgeFault(f"{fault}\n{self._words()}".strip())
        judged = {name: result for name, result in results.items() if name not in unsound}
        return ExerciseResult(
            name=task.exercise,
            criteria=tuple(judged.get(c.id) or _not_judged(c, unsound.get(c.id, fault)) for c in criteria),
            seconds=seconds,
            problem=imported.problem,
            notes=imported.notes,
            findings=self._findings(task.exercise, judged, self.diagnosed),
            explained=self.diagnosed.explained,
        )

    def _findings(
        self, exercise: str, judged: Mapping[str, CriterionResult], diagnosed: Diagnosed
    ) -> tuple[Finding, ...]:
        """What was found, with what to tell the student."""
        if not diagnosed.found:
            return ()
        bank = load_misconceptions(self.course.bank(self.exercises[exercise]))
        known = {
            m.id: Diagnosis(id=m.id, explanation=m.explanation, hint=m.hint, severity=m.severity) for m in bank
        }  # fmt: skip
        findings = (
            Finding(
                mistakes=tuple(known[id_] for id_ in found.mistakes if id_ in known),
                criteria=tuple(id_ for id_ in found.criteria if id_ in judged),
                likeness=found.likeness,
            )
            for found in diagnosed.found
        )
        return tuple(finding for finding in findings if finding.mistakes and finding.criteria)

    def _start(self) -> None:
        suites = [suite for exercise in self.exercises.values() for suite in self.course.suites(exercise)]
        self.channel, far = socket.socketpair()
        self.buffer = b""
        self.waiting: list[Event] = []
        self.log = tempfile.TemporaryFile()  # noqa: SIM115  # closed with the judge
        layers = msgspec.json.encode(self.layers).decode()
        options = [f"--grader-serve={far.fileno()},{layers}"]  # everyone on this machine can read them
        options += ["-pno:faulthandler", "-pno:logging", "-pno:warnings", "--capture=no"]  # more costly than most tests
        with far:
            self.process = subprocess.Popen(  # noqa: S603  # our own interpreter, our own arguments
                pytest_command(suites, self.course.root, options),
                pass_fds=[far.fileno()], cwd=self.course.root, start_new_session=True,
                stdin=subprocess.DEVNULL, stdout=self.log, stderr=subprocess.STDOUT, env=pytest_environment(),
            )  # fmt: skip
        if self.core is not None:  # inherited by all that it starts; no worker can change it
            os.sched_setaffinity(self.process.pid, {self.core})
        ready = self._receive(time.monotonic() + START_UP)
        if not isinstance(ready, Ready):
            raise JudgeFault("the judge began with something else than being ready")
        self.ready = ready

    def close(self, *, now: bool = False) -> None:
        """End the judge for good: when it is idle, or ``now``, also from another thread than the one that waits."""
        self.closed = True
        if self.process is None:
            return
        if not now:
            self.channel.shutdown(socket.SHUT_RDWR)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(END_BY_ITSELF)
        if self.process.poll() is None:
            _kill(self.process)

    def _stop(self) -> None:
        """End the judge, its children and its zygote."""
        if self.process is not None:
            _kill(self.process)
            self.process.wait()
            self.process = None
            self.channel.close()
            self.log.close()

    def _send(self, data: bytes) -> None:
        try:
            self.channel.settimeout(OVERHEAD)
            self.channel.sendall(data)
        except OSError as error:
            raise JudgeFault(f"the judge takes no task ({error})\n{self._words()}") from error

    def _receive(self, deadline: float) -> Event:
        while not self.waiting:
            try:
                self.channel.settimeout(max(0.001, deadline - time.monotonic()))
                data = self.channel.recv(1 << 16)
            except OSError as error:
                raise JudgeFault(f"the judge does not answer ({error})\n{self._words()}") from error
            if not data:
                raise JudgeFault(f"the judge ended\n{self._words()}")
            whole, _, self.buffer = (self.buffer + data).rpartition(b"\n")
            self.waiting += read_events(whole + b"\n") if whole else []
        return self.waiting.pop(0)

    def _words(self) -> str:
        self.log.flush()
        size = os.fstat(self.log.fileno()).st_size
        return os.pread(self.log.fileno(), 2000, max(0, size - 2000)).decode(errors="replace").strip()


def longest(exercise: Exercise) -> float:
    """Seconds in which a warm judge has answered a task in any case, be it with a fault."""
    return TRIES * (START_UP + _one_try(exercise))


def _one_try(exercise: Exercise) -> float:
    return exercise.budget + 6 * OVERHEAD


def _kill(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _not_judged(criterion: Criterion, fault: str) -> CriterionResult:
    return CriterionResult(
        criterion=criterion,
        verdict=Verdict.GRADER_FAULT,
        message=f"Could not be judged, which is not your fault: {fault}",
    )
