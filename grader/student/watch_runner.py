"""Runs an exercise's public tests again and again, in a warm process beside this one (``watch_server``)."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import msgspec

from grader.course import Course, Exercise
from grader.course.suites import Suite
from grader.judge.processes.command import pytest_command, pytest_environment
from grader.judge.processes.events import (
    Collected,
    Diagnosed,
    Done,
    Finished,
    Forked,
    Imported,
    Importing,
    Noticed,
    Started,
    read_events,
)
from grader.judge.processes.last_words import last_place
from grader.judge.transports.findings import lost_import
from grader.judge.transports.outcomes import timed_out
from grader.results.records import Criterion, CriterionResult, ExerciseResult, Verdict
from grader.student.recognised import findings_of
from grader.student.watch_server import Order

KILL_AFTER = 1.5  # seconds beyond a test's own timeout
DUMP = 0.1  # seconds to write down where it is
MAX_LOG = 100_000  # bytes of what the process said that are read
END = 2.0


class Run:
    """One run and what is known of it so far."""

    def __init__(self, events: Path, said: int = 0) -> None:
        self.events = events
        self.said = said  # bytes that the process had said before
        self.read = 0
        self.pid = 0
        self.criteria: tuple[Criterion, ...] = ()
        self.results: dict[str, CriterionResult] = {}
        self.noticed: dict[str, Noticed] = {}
        self.diagnosed: Diagnosed | None = None
        self.imported = Imported()
        self.importing = False
        self.running = ""
        self.since = time.monotonic()
        self.killed = False
        self.place = ""  # of the student's code, when the process was stopped or crashed
        self.done = False

    def poll(self) -> bool:
        """Read what is new; whether there was anything."""
        with contextlib.suppress(FileNotFoundError), self.events.open("rb") as written:
            written.seek(self.read)
            whole, newline, _ = written.read().rpartition(b"\n")
            self.read += len(whole + newline)
            for event in read_events(whole + newline):
                self._take(event)
            return bool(whole)
        return False

    def _take(self, event: object) -> None:
        if isinstance(event, Collected):
            self.criteria = event.criteria
        elif isinstance(event, Forked):
            self.pid = event.pid
        elif isinstance(event, Started):
            self.running, self.since = event.id, time.monotonic()
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
        elif isinstance(event, Done):
            self.done = True

    @property
    def hangs(self) -> bool:
        """Whether a test runs longer than it could be stopped from inside."""
        timeout = next((c.timeout for c in self.criteria if c.id == self.running), None)
        return timeout is not None and time.monotonic() > self.since + timeout + KILL_AFTER

    def result(self, course: Course, exercise: Exercise) -> ExerciseResult:
        """What came out; the criterion at which the process ended gets the blame, and no other is judged."""
        problem = self.imported.in_full
        blamed = Verdict.TIMEOUT if self.killed else Verdict.CRASHED
        if self.importing:
            problem = lost_import(blamed, self.place)
        words = timed_out("Your code").message if self.killed else "Your code ended the whole Python process."
        made = []
        for criterion in self.criteria:
            result = self.results.get(criterion.id)
            if result is None and criterion.id == self.running:
                result = CriterionResult(criterion=criterion, verdict=blamed, message=words)
            elif result is None:
                skipped = "Skipped: an earlier test ended the run."
                result = CriterionResult(criterion=criterion, verdict=blamed, message=skipped)
            made.append(result)
        findings = findings_of(course, exercise, self.diagnosed)
        return ExerciseResult(
            name=exercise.name, criteria=tuple(made), problem=problem, notes=self.imported.notes, findings=findings
        )


class Runner:
    """The warm process of one exercise, replaced when it ends or when its suite changes."""

    def __init__(self, course: Course, exercise: Exercise, *, fork: bool = hasattr(os, "fork")) -> None:
        self.course = course
        self.exercise = exercise
        self.fork = fork
        self.folder = tempfile.TemporaryDirectory(prefix="grader-watch-")
        self.number = 0
        self.run: Run | None = None
        self.process = self._start()

    def _start(self) -> subprocess.Popen[bytes]:
        options = [f"--grader-watch={'fork' if self.fork else 'once'}", "--capture=no"]
        options += [f"--grader-submission={self.course.module(self.exercise)}", f"--grader-seed={self.course.secret}"]
        options.append("--grader-recognise")
        with self._log().open("wb") as log:
            return subprocess.Popen(  # noqa: S603  # our own interpreter, our own arguments
                pytest_command([self.course.public_suite(self.exercise)], self.course.root, options),
                stdin=subprocess.PIPE, stdout=log, stderr=subprocess.STDOUT, cwd=self.course.root,
                env=pytest_environment(), start_new_session=True,
            )  # fmt: skip

    def restart(self) -> None:
        """Collect the suite anew."""
        self._end()
        self.process = self._start()

    def order(self, *, long: bool) -> Run:
        """Begin a run; one that is under way is of no interest any more."""
        self.cancel()
        if self.process.poll() is not None:
            self.restart()
        self.number += 1
        self.run = Run(Path(self.folder.name) / f"events{self.number}", self._log().stat().st_size)
        line = msgspec.json.encode(Order(str(self.run.events), long)) + b"\n"
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(line)
            self.process.stdin.flush()
        except OSError:  # it has just ended; what it said is in the log
            self.restart()
            assert self.process.stdin is not None
            self.process.stdin.write(line)
            self.process.stdin.flush()
        return self.run

    def poll(self) -> bool:
        """Whether something is new in the run."""
        run = self.run
        if run is None or run.done:
            return False
        news = run.poll()
        if not run.done and run.hangs:
            self._ask_where(run)
            self.cancel(killed=True)
            news = True
        if not run.done and self.process.poll() is not None:
            run.poll()
            run.done = news = True
        if run.done and run.criteria and run.running not in run.results:
            self._find_place(run)
        if run.done and not self.fork:
            self.restart()
        return news

    def cancel(self, *, killed: bool = False) -> None:
        """End the run that is under way, if there is one."""
        run = self.run
        if run is None or run.done:
            return
        run.poll()
        run.killed = killed
        run.done = True
        if not self.fork:
            self.restart()
        elif run.pid:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(run.pid, signal.SIGKILL)
        else:  # ordered, but not begun
            self.restart()

    def words(self) -> str:
        """The last words of a process that ended by itself."""
        return self._log().read_bytes()[-1500:].decode(errors="replace").strip()

    def _log(self) -> Path:
        return Path(self.folder.name) / "log"

    def _find_place(self, run: Run) -> None:
        """Where a run was that did not end by itself, as far as it wrote that down."""
        with self._log().open("rb") as log:
            log.seek(max(run.said, self._log().stat().st_size - MAX_LOG))
            words = log.read().decode(errors="replace")
        files = Suite(self.course, self.exercise, hidden=False).student_files(self.course.module(self.exercise))
        run.place = last_place(words, files)
        run.noticed.setdefault(run.running, Noticed(run.running, place=run.place))

    def _ask_where(self, run: Run) -> None:
        if not (run.pid and hasattr(signal, "SIGUSR1")):
            return
        with contextlib.suppress(ProcessLookupError):
            os.kill(run.pid, signal.SIGUSR1)
            time.sleep(DUMP)

    def _end(self) -> None:
        if self.run is not None and self.run.pid and not self.run.done:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.run.pid, signal.SIGKILL)
        if os.name == "posix":
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
        else:
            self.process.kill()
        self.process.wait(END)
        if self.process.stdin is not None:
            with contextlib.suppress(OSError):
                self.process.stdin.close()

    def close(self) -> None:
        self._end()
        self.folder.cleanup()
