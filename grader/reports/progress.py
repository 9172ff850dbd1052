"""Progress on standard error: a bar where someone is looking at it, now and then a line where it goes to a file."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from grader.text import printable_line

BETWEEN_LINES = 15.0  # seconds
ROOM = 32  # columns for what is being done


class Rate(ProgressColumn):
    """How much gets done in a second, or in a minute where that reads better."""

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        if not speed:
            return Text("–/s")
        return Text(f"{speed:.1f}/s" if speed >= 1 else f"{60 * speed:.1f}/min")


class Advance(Protocol):
    """Called once per finished piece of work, from any thread."""

    def __call__(self, what: str = "") -> None:
        """``what`` was finished, in words."""

    def say(self, what: str) -> None:
        """This is being done now."""


@contextmanager
def progress(title: str, total: int) -> Iterator[Advance]:
    """Shows how much is done, and what."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _Lines(console, title, total)
        return
    columns = (
        TextColumn("{task.description}"), BarColumn(bar_width=20), MofNCompleteColumn(), Rate(), TimeRemainingColumn(),
        TextColumn("{task.fields[what]}", style="dim"),
    )  # fmt: skip
    with Progress(*columns, console=console, transient=True) as bar:
        yield _Bar(bar, bar.add_task(title, total=total, what="starting"))


class _Bar:
    def __init__(self, bar: Progress, task: TaskID) -> None:
        self.bar, self.task = bar, task

    def __call__(self, what: str = "") -> None:
        self.bar.update(self.task, advance=1, what=_short(what))

    def say(self, what: str) -> None:
        self.bar.update(self.task, what=_short(what))


class _Lines:
    def __init__(self, console: Console, title: str, total: int) -> None:
        self.console, self.title, self.total = console, title, total
        self.done = 0
        self.said = time.monotonic()
        self.lock = threading.Lock()

    def __call__(self, what: str = "") -> None:
        with self.lock:
            self.done += 1
            self._print(what)

    def say(self, what: str) -> None:
        with self.lock:
            self._print(what)

    def _print(self, what: str) -> None:
        if time.monotonic() - self.said >= BETWEEN_LINES:
            self.said = time.monotonic()
            text = f"{self.title}: {self.done} of {self.total}{' – ' if what else ''}{printable_line(what, ROOM)}"
            self.console.print(text, highlight=False, markup=False)


def _short(what: str) -> str:
    return escape(printable_line(what, ROOM))
