"""The works that wait for a judge, handed out so that each exercise is prepared by as few judges as possible.

A judge runs an exercise's tests on the solution before it judges the first submission: that costs as much as several
submissions. So a judge stays with the exercises that it has prepared, then takes one that nobody has, and helps others
only when nothing else is left.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable

from grader.grading.tasks import Work


class WorkQueue:
    """Works by exercise, in the order in which they came."""

    def __init__(self) -> None:
        self.waiting: dict[str, deque[Work]] = {}
        self.prepared: set[str] = set()  # exercises that some judge has taken
        self.closed = False
        self.changed = threading.Condition()

    def put(self, works: Iterable[Work]) -> None:
        with self.changed:
            for work in works:
                self.waiting.setdefault(work.task.exercise, deque()).append(work)
            self.changed.notify_all()

    def close(self) -> None:
        """Hand out nothing more."""
        with self.changed:
            self.closed = True
            self.changed.notify_all()

    def take(self, own: set[str], *, wait: bool = True) -> Work | None:
        """The next work for a judge that has prepared the exercises in ``own``.

        None when the queue is closed; also when it is empty, if nobody is to ``wait``.
        """
        with self.changed:
            if wait:
                self.changed.wait_for(lambda: self.closed or any(self.waiting.values()))
            filled = [name for name, works in self.waiting.items() if works]
            if self.closed or not filled:
                return None
            name = (
                next((name for name in filled if name in own), None)
                or next((name for name in filled if name not in self.prepared), None)
                or max(filled, key=lambda name: len(self.waiting[name]))
            )
            own.add(name)
            self.prepared.add(name)
            return self.waiting[name].popleft()
