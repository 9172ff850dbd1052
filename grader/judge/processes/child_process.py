"""A child of the judge, followed from outside: which criteria it finished, at which one it was, and how it ended.

What a student's code returned can be more than the child survives: a result that takes hours to print, or that makes a
library crash. The student's code is not in the child, but it chose the data. So the child is watched criterion by
criterion, and whoever ends it twice at the same one has not passed that one.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from collections.abc import Callable, Mapping
from typing import BinaryIO

import msgspec

from grader.judge.processes.events import Finished, Started, read_events
from grader.sandbox.launcher import ZygoteDied
from grader.worker import linux

LOST_AFTER = 5.0  # seconds beyond what a criterion's tests may take
BEGIN = 60.0  # seconds for a child to come to its first criterion, on a busy machine
AFTERWARDS = 60.0  # seconds for what comes after the last criterion: a diagnosis
ZYGOTE_DIED = 2  # the child's exit status when it got no worker


class ChildOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one child."""

    finished: frozenset[str]  # criteria
    running: str  # the criterion at which it ended; empty if it was at none
    status: int | None  # None: it hung, and was killed


def run_child(work: Callable[[BinaryIO], None], limits: Mapping[str, float], events: BinaryIO) -> ChildOutcome:
    """Do the work in a child that writes its events to a stream; pass them on.

    ``limits`` are the seconds that each criterion's tests may take by their own clocks.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _guarded(lambda: work(open(writing, "wb")))  # noqa: PTH123, SIM115  # a descriptor, closed with the child
    os.close(writing)
    try:
        return _follow(child, reading, limits, events)
    finally:
        os.close(reading)


def _follow(child: int, reading: int, limits: Mapping[str, float], events: BinaryIO) -> ChildOutcome:
    finished: set[str] = set()
    running, rest = "", b""
    deadline = time.monotonic() + BEGIN
    poll = select.poll()
    poll.register(reading, select.POLLIN)
    hung = False
    while True:
        if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
            os.kill(child, signal.SIGKILL)
            hung = True
            break
        data = os.read(reading, 1 << 16)
        if not data:
            break
        whole, newline, rest = (rest + data).rpartition(b"\n")
        events.write(whole + newline)  # the coordinator need not be woken before all is done
        for event in read_events(whole + newline):
            if isinstance(event, Started):
                running = event.id
                deadline = time.monotonic() + limits[running] + LOST_AFTER
            elif isinstance(event, Finished):
                finished.add(event.result.criterion.id)
                running = ""
                deadline = time.monotonic() + AFTERWARDS
    _, status = os.waitpid(child, 0)
    return ChildOutcome(
        finished=frozenset(finished), running=running, status=None if hung else os.waitstatus_to_exitcode(status)
    )


def _guarded(work: Callable[[], None]) -> None:
    """Do the work of a child and end, whatever happens."""
    status = 1
    try:
        linux.prctl(linux.PR_SET_PDEATHSIG, signal.SIGKILL)
        work()
        status = 0
    except ZygoteDied as error:
        print(f"zygote: {error}", file=sys.stderr)
        status = ZYGOTE_DIED
    except BaseException as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
    finally:
        os._exit(status)
