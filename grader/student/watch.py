"""``grader watch``: after every save the verdict, from a process that is warm."""

from __future__ import annotations

import contextlib
import datetime
import importlib.util
import queue
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import watchfiles

from grader.course import Course, Exercise
from grader.results.records import Verdict
from grader.student.check import Checked, sources_of
from grader.student.check_report import next_exercise
from grader.student.hint import next_hint
from grader.student.keys import END, key_reader
from grader.student.progress import after_check, keep_progress, key_of, read_progress
from grader.student.status import print_status
from grader.student.targets import Target
from grader.student.watch_runner import Runner
from grader.student.watch_screen import Screen

TICK = 0.01  # seconds between two looks while tests run
IDLE = 0.5
ENDS = [getattr(signal, name) for name in ("SIGHUP", "SIGTERM") if hasattr(signal, name)]  # its terminal was closed
DEBOUNCE, STEP = 60, 15  # milliseconds: editors write a file in several steps


class Watch:
    """The loop: saves and keys come in, the screen goes out."""

    def __init__(self, course: Course, exercise: Exercise, *, fork: bool | None = None) -> None:
        self.course = course
        self.exercise = exercise
        self.options = {} if fork is None else {"fork": fork}
        self.runner = Runner(course, exercise, **self.options)
        self.inbox: queue.Queue[tuple[str, object]] = queue.Queue()
        self.screen = Screen()
        self.checked: Checked | None = None
        self.newly: frozenset[str] = frozenset()
        self.words: list[str] = []
        self.seconds = 0  # that the test which runs has taken

    def loop(self) -> None:
        stop = threading.Event()
        folders = {self.course.folder(e) for e in self.course.exercises} | {self.course.data}
        existing = [folder for folder in folders if folder.is_dir()]
        threading.Thread(target=self._watch, args=(existing, stop), daemon=True).start()
        self.screen.clear()
        for name in ENDS:
            signal.signal(name, lambda number, _: sys.exit(128 + number))
        try:
            with key_reader() as read:
                if read is not None:
                    threading.Thread(target=self._read, args=(read,), daemon=True).start()
                self._order(long=False)
                while self._step():
                    pass
        finally:
            stop.set()
            self.runner.close()
            with contextlib.suppress(OSError):  # the terminal may be gone
                self.screen.leave()

    def _watch(self, folders: list[Path], stop: threading.Event) -> None:
        for changes in watchfiles.watch(
            *folders, stop_event=stop, debounce=DEBOUNCE, step=STEP, rust_timeout=500, raise_interrupt=False
        ):
            paths = {Path(path) for _, path in changes}
            if any(path.suffix == ".py" and not path.name.startswith(".") for path in paths):
                self.inbox.put(("saved", paths))

    def _read(self, read: Callable[[], str]) -> None:
        while True:
            key = read()
            self.inbox.put(("key", key))
            if key in (END, "q"):
                return

    def _step(self) -> bool:
        """One thing that happened; False to quit."""
        run = self.runner.run
        under_way = run is not None and not run.done
        try:
            what, value = self.inbox.get(timeout=TICK if under_way else IDLE)
        except queue.Empty:
            self.screen.follow_size()
            if self.runner.poll() or self._waited():
                self._progress()
            return True
        if what == "saved":
            assert isinstance(value, set)
            self._saved(value)
            return True
        return self._key(str(value))

    def _waited(self) -> bool:
        """Whether another second of a test has passed, in which nothing else happened."""
        run = self.runner.run
        seconds = int(time.monotonic() - run.since) if run is not None and run.running and not run.done else 0
        changed = seconds != self.seconds
        self.seconds = seconds
        return changed and seconds > 0

    def _saved(self, paths: set[Path]) -> None:
        # A changed suite, or what it imports, is collected anew; a student's module is read by each run.
        modules = {self.course.module(exercise).resolve() for exercise in self.course.exercises}
        if any(path.resolve() not in modules for path in paths):
            self.runner.restart()
        self._order(long=False)

    def _order(self, *, long: bool) -> None:
        self.words = []
        if not self.course.public_suite(self.exercise).is_file():
            fault = f"Its tests are missing: {self.course.public_suite(self.exercise)}."
            before = read_progress(self.course).of(self.exercise)
            self.checked = Checked(exercise=self.exercise, progress=before, fault=fault)
            self._show()
            return
        self.runner.order(long=long)
        self._show("running ...")

    def _progress(self) -> None:
        run = self.runner.run
        assert run is not None
        if not run.done:
            title = next((c.title for c in run.criteria if c.id == run.running), "")
            if title and run.running not in run.results:
                self._show(f"running: {title} ...{f' {self.seconds} s' if self.seconds else ''}")
            return
        before = read_progress(self.course).of(self.exercise)
        if not run.criteria:
            words = self.runner.words()
            self.checked = Checked(exercise=self.exercise, progress=before, fault=f"Its tests cannot run:\n{words}")
            self._show()
            return
        result = run.result(self.course, self.exercise)
        work = self.course.module(self.exercise)
        key = key_of(self.course, self.exercise, work)
        progress = after_check(before, key, result, datetime.datetime.now(datetime.UTC))
        kept = keep_progress(self.course, self.exercise, progress)
        passed = {one.criterion.id for one in result.criteria if one.passed}
        failed = {id_ for id_, verdict in before.verdicts.items() if verdict is not Verdict.PASSED}
        self.newly = frozenset(passed & failed)
        self.checked = Checked(
            exercise=self.exercise,
            progress=progress,
            result=result,
            noticed=run.noticed,
            sources=sources_of(self.course, Target(self.exercise, work), result, run.noticed),
            kept=kept,
        )
        self._show()

    def _key(self, key: str) -> bool:
        if key in ("q", END):
            return False
        if key == "h":
            found = next_hint(self.course, self.exercise)
            self.words = (
                [f"Hint {found.number} ({found.left} left): {found.words}"]
                if found
                else ["There is nothing to hint at."]
            )
        elif key == "n":
            following = next_exercise(self.course, read_progress(self.course))
            if following is None or following.name == self.exercise.name:
                names = [exercise.name for exercise in self.course.exercises]
                following = self.course.exercises[(names.index(self.exercise.name) + 1) % len(names)]
            self._change(following)
            return True
        elif key == "l":
            self._list()
            return True
        elif key == "s":
            self._picture()
            return True
        elif key == "r":
            self._order(long=True)
            return True
        else:
            self.words = []
        self._show()
        return True

    def _change(self, exercise: Exercise) -> None:
        self.runner.close()
        self.exercise, self.checked, self.newly = exercise, None, frozenset()
        self.runner = Runner(self.course, exercise, **self.options)
        self.words = []
        self.screen.clear()
        self._order(long=False)

    def _list(self) -> None:
        from rich.console import Console

        width = min(78, shutil.get_terminal_size().columns)
        console = Console(highlight=False, width=width, color_system=None, force_terminal=False)
        with console.capture() as captured:
            print_status(console, self.course, read_progress(self.course))
        self.screen.show(None, newly=frozenset(), words=[line.rstrip() for line in captured.get().split("\n")])

    def _picture(self) -> None:
        if importlib.util.find_spec("grader.student.show") is None:
            self.words = ["There are no pictures in this version."]
        else:  # in a process of its own: it runs the student's code
            command = [sys.executable, "-m", "grader", "show", self.exercise.name, "--course", str(self.course.root)]
            shown = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)  # noqa: S603
            self.words = (shown.stdout + shown.stderr).rstrip().split("\n")
            self.screen.show(None, newly=frozenset(), words=self.words)
            return
        self._show()

    def _show(self, busy: str = "") -> None:
        self.screen.show(self.checked, newly=self.newly, busy=busy, words=self.words)
