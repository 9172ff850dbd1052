"""The warm side of ``grader watch``: a pytest process that has collected the suite and runs it as often as asked.

For each run it forks a child, in which the student's module is imported; so nothing of one run reaches the next. Where
there is no fork it runs the tests once, in itself, and ends; whoever asked has started another one meanwhile. A run is
a line on stdin with the path of a file; what happens is written there, as in ``check``.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import msgspec
import pytest
from _pytest.runner import runtestprotocol

from grader.judge.diagnosis.recording import Recordings
from grader.judge.processes.events import Collected, Done, Forked, Ready, write_event

if TYPE_CHECKING:
    from grader.judge.plugin import SuitePlugin


class Order(msgspec.Struct, frozen=True):
    """One run that is asked for."""

    events: str  # a path
    long: bool = True  # with the criteria that train a model


def end_with_parent() -> None:
    """Whoever is killed leaves nobody behind; without Linux a process ends when its stdin does."""
    if sys.platform == "linux":
        from grader.worker import linux

        linux.prctl(linux.PR_SET_PDEATHSIG, signal.SIGKILL)


class WatchServer:
    def __init__(self, suites: SuitePlugin, *, fork: bool) -> None:
        self.suites = suites
        self.fork = fork

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        end_with_parent()
        items = list(session.items)
        if self.suites.events:
            write_event(self.suites.events, Ready({}))
            self.suites.events.close()
        for line in sys.stdin.buffer:
            order = msgspec.json.decode(line, type=Order)
            with Path(order.events).open("ab") as events:
                self._serve(order, items, events)
            if not self.fork:
                break
        self.suites.events = None
        return True

    def _serve(self, order: Order, items: list[pytest.Item], events: BinaryIO) -> None:
        chosen = [item for item in items if order.long or not self.suites.criterion(item).long]
        write_event(events, Collected(self.suites.criteria(chosen)))
        if not self.fork:
            self._run(chosen, events)
            write_event(events, Done())
            return
        child = os.fork()
        if child == 0:
            status = 1
            try:
                os.setpgid(0, 0)
                end_with_parent()
                self._run(chosen, events)
                status = 0
            finally:
                os._exit(status)
        write_event(events, Forked(child))
        _, ended = os.waitpid(child, 0)
        write_event(events, Done("" if ended == 0 else f"status {os.waitstatus_to_exitcode(ended)}"))

    def _run(self, items: list[pytest.Item], events: BinaryIO) -> None:
        self.suites.forget()
        self.suites.events = events
        self.suites.recordings = Recordings()
        for item, following in zip(items, [*items[1:], None], strict=True):
            runtestprotocol(item, log=False, nextitem=following)
        self.suites.recognise()
        events.flush()
