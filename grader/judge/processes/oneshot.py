"""Run suites on one submission in a process of its own, in-process transport inside it, under a hard deadline.

The child is told to stop each test by pytest-timeout; one that cannot be stopped so is killed from here. After
a kill or a crash the criterion that ran gets the blame, and a new child goes on with the next one.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec

from grader.course import Course
from grader.course.suites import find_suite
from grader.judge.processes.command import pytest_command, pytest_environment
from grader.judge.processes.events import (
    Calling,
    Collected,
    Diagnosed,
    Event,
    Finished,
    Imported,
    Importing,
    Noticed,
    Started,
    read_events,
)
from grader.judge.processes.last_words import last_place
from grader.judge.processes.task import JudgeFault, Part, Task
from grader.judge.suite.verdicts import judge_exception
from grader.judge.transports.findings import lost_import
from grader.judge.transports.outcomes import not_reached, timed_out
from grader.results.records import Criterion, CriterionResult, ExerciseResult, Verdict

KILL_AFTER = 5.0  # seconds beyond a test's own timeout
KILL_SOON = 1.5  # the same where a student waits; the alarm inside has rung several times by then
START_UP = 60.0  # seconds in which a child must have collected its tests, torch imported
POLL = 0.02
DUMP = 0.3  # seconds for a child to write down where it is
MAX_LOG = 100_000  # bytes of its output that are read
INTERNAL_ERROR = "INTERNALERROR>"  # so begin the lines in which pytest speaks of its own faults
PARTS = {Part.ALL: (), Part.SHORT: ("--grader-quick",), Part.LONG: ("--grader-long",)}


class SuitesRun(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one submission."""

    criteria: tuple[CriterionResult, ...]  # in the order of the suites
    imported: Imported  # what is known of the import of the student's module
    noticed: dict[str, Noticed] = {}  # criterion -> what the student may see of it besides
    diagnosed: Diagnosed | None = None  # the known mistakes that the failures are


class UnconfinedJudge:
    """Grades where student code cannot be confined: a process of its own, and no more. It names no mistakes."""

    def __init__(self, course: Course) -> None:
        self.course = course

    def grade(self, task: Task) -> ExerciseResult:
        exercise = self.course.exercise(task.exercise)
        start = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="grader-") as folder:
            for name, content in task.sources.values():
                (Path(folder) / Path(name).name).write_bytes(content)
            try:
                run = run_suites(
                    self.course.suites(exercise),
                    Path(folder),
                    budget=task.budget or exercise.budget,
                    seed=task.seed,
                    draw=task.draw,
                    cwd=self.course.root,
                    part=task.part,
                    only=task.only,
                    first_failure=task.first_failure,
                    problem=task.problem,
                )
            except JudgeFault as fault:
                return ExerciseResult(name=exercise.name, criteria=(), fault=str(fault))
        return ExerciseResult(
            name=exercise.name,
            criteria=run.criteria,
            seconds=time.monotonic() - start,
            problem=run.imported.problem,
            notes=run.imported.notes,
        )

    def close(self, *, now: bool = False) -> None:
        """Nothing outlives a task."""


def run_suites(
    suites: Sequence[Path],
    submission: Path,
    *,
    budget: float,
    seed: str,
    draw: int = 0,
    cwd: Path,
    part: Part = Part.ALL,
    only: Sequence[str] = (),
    first_failure: bool = False,
    problem: str = "",
    checking: bool = False,
    recognise: bool = False,
    tell: Callable[[Event], None] = lambda event: None,
) -> SuitesRun:
    """The criteria that are asked for, each with its verdict, in the order of the suites.

    ``checking``: a student waits for the answer. ``recognise``: known mistakes are told. ``tell`` hears of every event
    as soon as it is known.
    """
    options = [f"--grader-submission={submission}", f"--grader-seed={seed}", f"--grader-draw={draw}", *PARTS[part]]
    options += ["--grader-first-failure"] if first_failure else []
    options += [f"--grader-problem={problem}"] if problem else []
    options += ["--grader-check", "--capture=sys"] if checking else []
    options += ["--grader-recognise"] if recognise else []
    criteria: tuple[Criterion, ...] | None = None
    results: dict[str, CriterionResult] = {}
    noticed: dict[str, Noticed] = {}
    imported = Imported()
    stuck: list[str] = []  # functions at which a child had to be killed
    deadline: float | None = None
    while True:
        left = list(only) if criteria is None else [c.id for c in criteria if c.id not in results]
        chosen = [f"--grader-criteria={','.join(left)}"] if left else []
        chosen += [f"--grader-stuck={','.join(stuck)}"] if stuck else []
        with tempfile.TemporaryDirectory(prefix="grader-") as folder:
            child = _Child(suites, [*options, *chosen], cwd, Path(folder), tell)
            child.watch(deadline, budget, KILL_SOON if checking else KILL_AFTER)
        if child.criteria is None:
            raise JudgeFault(child.output or "the tests could not be collected")
        criteria = criteria or child.criteria
        deadline = deadline or child.deadline
        results.update(child.results)
        noticed = {**child.noticed, **noticed}
        imported = child.imported or imported
        unfinished = [c for c in criteria if c.id not in results]
        if unfinished and not (first_failure and _has_failure(results)):
            running = next((c for c in unfinished if c.id == child.running), None)
            if running is None or INTERNAL_ERROR in child.output:
                raise JudgeFault(child.output or "pytest stopped between two tests")
            results[running.id] = child.blame(running)
            stuck += [child.calling] if child.killed and child.calling else []
            suite = find_suite(suites[0])
            place = last_place(child.words, suite.student_files(submission)) if suite else ""
            if place:
                noticed[running.id] = Noticed(running.id, place=place)
            if child.importing:  # no other criterion would get further
                imported = child.lost_import(place)
                results |= {c.id: _not_reached(c, imported) for c in unfinished}
            elif deadline is not None and time.monotonic() > deadline:
                for criterion in (c for c in unfinished if c is not running):
                    results[criterion.id] = _out_of_budget(criterion, budget)
        if all(c.id in results for c in criteria) or (first_failure and _has_failure(results)):
            reached = tuple(results[c.id] for c in criteria if c.id in results)
            # One child saw all: what only some of the tests look like may be another mistake.
            diagnosed = child.diagnosed if child.results.keys() == results.keys() else None
            return SuitesRun(criteria=reached, imported=imported, noticed=noticed, diagnosed=diagnosed)


def _has_failure(results: Mapping[str, CriterionResult]) -> bool:
    return any(not result.passed for result in results.values())


class _Child:
    """One pytest process and what it told us."""

    def __init__(
        self, suites: Sequence[Path], options: Sequence[str], cwd: Path, folder: Path, tell: Callable[[Event], None]
    ) -> None:
        self.events = folder / "events"
        self.log = folder / "log"
        self.command = pytest_command(suites, cwd, [f"--grader-events={self.events}", *options])
        self.cwd = cwd
        self.criteria: tuple[Criterion, ...] | None = None  # None: not collected
        self.results: dict[str, CriterionResult] = {}
        self.noticed: dict[str, Noticed] = {}
        self.diagnosed: Diagnosed | None = None
        self.tell = tell
        self.read = 0  # bytes of the events
        self.running = ""
        self.calling = ""  # the student's function that is called, where that is told
        self.importing = False  # whether the student's module is just being imported
        self.imported: Imported | None = None
        self.deadline: float | None = None
        self.killed = False
        self.output = ""
        self.words = ""

    def watch(self, deadline: float | None, budget: float, kill_after: float) -> None:
        """Wait for the child; kill it when a test, or all of them together, run over their time."""
        with self.log.open("wb") as log:
            process = subprocess.Popen(  # noqa: S603  # our own interpreter, our own arguments
                self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                cwd=self.cwd, env=pytest_environment(), start_new_session=True,
            )  # fmt: skip
            try:
                limit, seen = time.monotonic() + START_UP, ""
                while process.poll() is None:
                    self._read()
                    if self.criteria is not None and deadline is None:
                        deadline = time.monotonic() + budget
                    if self.running != seen:
                        seen = self.running
                        timeout = next(c.timeout for c in self.criteria or () if c.id == seen)
                        limit = time.monotonic() + timeout + kill_after
                    if time.monotonic() > (min(limit, deadline) if deadline and seen else limit):
                        self.killed = True
                        _ask_where(process)
                        break
                    time.sleep(POLL)
            finally:
                _kill_group(process)
        self.deadline = deadline
        self._read()
        with self.log.open("rb") as written:
            written.seek(max(0, self.log.stat().st_size - MAX_LOG))
            self.words = written.read().decode(errors="replace")
        self.output = self.words[-2000:]

    def _read(self) -> None:
        if not self.events.exists():
            return
        with self.events.open("rb") as written:
            written.seek(self.read)
            whole, newline, _ = written.read().rpartition(b"\n")
        self.read += len(whole + newline)
        for event in read_events(whole + newline):
            self.tell(event)
            if isinstance(event, Collected):
                self.criteria = event.criteria
            elif isinstance(event, Started):
                self.running, self.calling = event.id, ""
            elif isinstance(event, Calling):
                self.calling = event.function
            elif isinstance(event, Importing):
                self.importing = True
            elif isinstance(event, Imported):
                self.importing, self.imported = False, event
            elif isinstance(event, Finished):
                self.results[event.result.criterion.id] = event.result
            elif isinstance(event, Noticed):
                self.noticed.setdefault(event.id, event)
            elif isinstance(event, Diagnosed):
                self.diagnosed = event

    def lost_import(self, place: str) -> Imported:
        """What to say of an import that did not even let us say how it went."""
        verdict = Verdict.TIMEOUT if self.killed else Verdict.CRASHED
        return Imported(lost_import(verdict), lost_import(verdict, place), verdict)

    def blame(self, criterion: Criterion) -> CriterionResult:
        if self.killed:
            return CriterionResult(criterion=criterion, verdict=Verdict.TIMEOUT, message=timed_out("Your code").message)
        return CriterionResult(
            criterion=criterion, verdict=Verdict.CRASHED, message="Your code ended the whole Python process."
        )


def _not_reached(criterion: Criterion, imported: Imported) -> CriterionResult:
    failure = not_reached(imported.verdict or Verdict.ERROR, "the module does not import")
    return judge_exception(criterion, failure, answered=False, in_full=False)


def _out_of_budget(criterion: Criterion, budget: float) -> CriterionResult:
    message = f"Not reached: all tests together took more than the {budget:g} seconds that there are."
    return CriterionResult(criterion=criterion, verdict=Verdict.TIMEOUT, message=message)


def _ask_where(process: subprocess.Popen[bytes]) -> None:
    """Have it write down where it is, before it is killed."""
    if hasattr(signal, "SIGUSR1"):
        process.send_signal(signal.SIGUSR1)
        time.sleep(DUMP)


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """The child and whatever it started."""
    if os.name == "posix":
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.wait()
