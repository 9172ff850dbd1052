"""Progress on standard error: a bar where someone is looking at it, now and then a line where it goes to a file."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text

BETWEEN_LINES = 15.0  # seconds


class Rate(ProgressColumn):
    """How much gets done in a second, or in a minute where that reads better."""

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        if not speed:
            return Text("–/s")
        return Text(f"{speed:.1f}/s" if speed >= 1 else f"{60 * speed:.1f}/min")


@contextmanager
def progress(title: str, total: int) -> Iterator[Callable[[], None]]:
    """Yields a function to call once per finished piece of work; it may be called from any thread."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _Lines(console, title, total).advance
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), Rate(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(title, total=total)
        yield lambda: bar.advance(task)


class _Lines:
    def __init__(self, console: Console, title: str, total: int) -> None:
        self.console, self.title, self.total = console, title, total
        self.done = 0
        self.said = time.monotonic()
        self.lock = threading.Lock()

    def advance(self) -> None:
        with self.lock:
            self.done += 1
            if time.monotonic() - self.said >= BETWEEN_LINES:
                self.said = time.monotonic()
                self.console.print(f"{self.title}: {self.done} of {self.total}", highlight=False)
