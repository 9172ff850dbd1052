"""Run suites on one submission in a process of its own, in-process transport inside it, under a hard deadline.

The child is told to stop each test by pytest-timeout; one that cannot be stopped so is killed from here. After
a kill or a crash the criterion that ran gets the blame, and a new child goes on with the next one.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from grader.judge.events import Collected, Finished, Started, read_events
from grader.judge.outcomes import timed_out
from grader.judge.task import JudgeFault, Task
from grader.manifest import Course
from grader.models import Criterion, CriterionResult, ExerciseResult, Verdict

GRACE = 5.0  # seconds beyond a test's own timeout before its process is killed
START_UP = 60.0  # seconds in which a child must have collected its tests, torch imported
POLL = 0.02
PYTEST_FAULTS = (3, 4)  # pytest's exit codes for its own internal and usage errors


class UnconfinedJudge:
    """Grades where student code cannot be confined: in a process of its own, and no more than that."""

    def __init__(self, course: Course, seed: int, *, quick: bool = False) -> None:
        self.course = course
        self.seed = seed
        self.quick = quick

    def grade(self, task: Task) -> ExerciseResult:
        exercise = self.course.exercise(task.exercise)
        suites = [self.course.public_suite(exercise), self.course.hidden_suite(exercise)]
        with tempfile.TemporaryDirectory(prefix="grader-") as folder:
            for name, content in task.sources.values():
                (Path(folder) / Path(name).name).write_bytes(content)
            try:
                criteria = run_suites(
                    suites,
                    Path(folder),
                    budget=exercise.budget,
                    seed=self.seed,
                    cwd=self.course.root,
                    quick=self.quick,
                )
            except JudgeFault as fault:
                return ExerciseResult(name=exercise.name, criteria=(), fault=str(fault))
        return ExerciseResult(name=exercise.name, criteria=criteria)

    def close(self, *, now: bool = False) -> None:
        """Nothing outlives a task."""


def run_suites(
    suites: Sequence[Path], submission: Path, *, budget: float, seed: int, cwd: Path, quick: bool = False
) -> tuple[CriterionResult, ...]:
    """Every criterion of the suites, with its verdict, in the order of the suites; ``quick``: without training."""
    criteria: tuple[Criterion, ...] = ()
    results: dict[str, CriterionResult] = {}
    deadline: float | None = None
    while True:
        left = ",".join(c.id for c in criteria if c.id not in results) if criteria else None
        with tempfile.TemporaryDirectory(prefix="grader-") as folder:
            child = _Child(suites, submission, seed, cwd, Path(folder), left, quick)
            child.watch(deadline, budget)
        criteria = criteria or child.criteria
        deadline = deadline or child.deadline
        if not child.criteria:
            raise JudgeFault(child.output or "the tests could not be collected")
        results.update(child.results)
        unfinished = [c for c in criteria if c.id not in results]
        if not unfinished:
            return tuple(results[c.id] for c in criteria)
        running = next((c for c in unfinished if c.id == child.running), None)
        if running is None or child.status in PYTEST_FAULTS:
            raise JudgeFault(child.output or "pytest stopped between two tests")
        results[running.id] = child.blame(running)
        if deadline is not None and time.monotonic() > deadline:
            for criterion in unfinished[1:]:
                results[criterion.id] = _out_of_budget(criterion, budget)
        if all(c.id in results for c in criteria):
            return tuple(results[c.id] for c in criteria)


class _Child:
    """One pytest process and what it told us."""

    def __init__(
        self,
        suites: Sequence[Path],
        submission: Path,
        seed: int,
        cwd: Path,
        folder: Path,
        criteria: str | None,
        quick: bool,
    ) -> None:
        self.events = folder / "events"
        self.log = folder / "log"
        self.command = [
            sys.executable, "-m", "pytest", *map(str, suites), "-q", "-p", "no:cacheprovider", "--tb=line",
            "--import-mode=importlib", f"--rootdir={cwd}", f"--submission={submission}", f"--course-seed={seed}",
            f"--events={self.events}",
        ]  # fmt: skip
        if criteria is not None:
            self.command.append(f"--criteria={criteria}")
        if quick:
            self.command.append("--quick")
        self.cwd = cwd
        self.criteria: tuple[Criterion, ...] = ()
        self.results: dict[str, CriterionResult] = {}
        self.running = ""
        self.deadline: float | None = None
        self.killed = False
        self.status: int | None = None
        self.output = ""

    def watch(self, deadline: float | None, budget: float) -> None:
        """Wait for the child; kill it when a test, or all of them together, run over their time."""
        # One thread each: two children on two cores must not fight for them.
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
        with self.log.open("wb") as log:
            process = subprocess.Popen(  # noqa: S603  # our own interpreter, our own arguments
                self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                cwd=self.cwd, env=environment, start_new_session=True,
            )  # fmt: skip
            try:
                limit, seen = time.monotonic() + START_UP, ""
                while process.poll() is None:
                    self._read()
                    if self.criteria and deadline is None:
                        deadline = time.monotonic() + budget
                    if self.running != seen:
                        seen = self.running
                        timeout = next(c.timeout for c in self.criteria if c.id == seen)
                        limit = time.monotonic() + timeout + GRACE
                    if time.monotonic() > (min(limit, deadline) if deadline and seen else limit):
                        self.killed = True
                        break
                    time.sleep(POLL)
            finally:
                _kill_group(process)
        self.status = None if self.killed else process.returncode
        self.deadline = deadline
        self._read()
        self.output = self.log.read_bytes()[-2000:].decode(errors="replace")

    def _read(self) -> None:
        if not self.events.exists():
            return
        for event in read_events(self.events.read_bytes()):
            if isinstance(event, Collected):
                self.criteria = event.criteria
            elif isinstance(event, Started):
                self.running = event.id
            elif isinstance(event, Finished):
                self.results[event.result.criterion.id] = event.result

    def blame(self, criterion: Criterion) -> CriterionResult:
        if self.killed:
            return CriterionResult(criterion=criterion, verdict=Verdict.TIMEOUT, message=timed_out("Your code").message)
        return CriterionResult(
            criterion=criterion, verdict=Verdict.CRASHED, message="Your code ended the whole Python process."
        )


def _out_of_budget(criterion: Criterion, budget: float) -> CriterionResult:
    message = f"Not reached: all tests together took more than the {budget:g} seconds that there are."
    return CriterionResult(criterion=criterion, verdict=Verdict.TIMEOUT, message=message)


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """The child and whatever it started."""
    if os.name == "posix":
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.wait()
