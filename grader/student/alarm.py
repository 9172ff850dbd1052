"""The alarm of a test that runs too long rings until it is heard.

pytest-timeout raises an exception once. A student's ``except:`` around a loop catches it, and the loop goes on. So it
rings again while the student's code is at work, and from the second time on each further line of that code raises too:
then no handler gets further than its first line. What does not come back to Python at all must be killed from outside.
"""

from __future__ import annotations

import signal
import sys
import types
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

AGAIN = 0.2  # seconds


@contextmanager
def insistent(files: Collection[str]) -> Iterator[None]:
    """Let the alarm that is set ring again and again while code of these files is at work."""
    if not hasattr(signal, "setitimer"):
        yield
        return
    first = signal.getsignal(signal.SIGALRM)
    left = signal.getitimer(signal.ITIMER_REAL)[0]
    if not left or not callable(first):
        yield
        return
    rang = False

    def ring(number: int, frame: types.FrameType | None) -> None:
        nonlocal rang
        theirs = [step for step in _frames(frame) if step.f_code.co_filename in files]
        if rang and not theirs:  # it was heard
            return
        if rang:
            sys.settrace(stop)
            for step in theirs:
                step.f_trace = stop
        rang = True
        first(number, frame)

    def stop(frame: types.FrameType, event: str, _: Any) -> Any:
        if frame.f_code.co_filename not in files:
            return None
        if event == "line":
            pytest.fail("Timeout: the alarm was caught.")
        return stop

    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, left, AGAIN)
    try:
        yield
    finally:
        if rang:
            sys.settrace(None)
        left = signal.getitimer(signal.ITIMER_REAL)[0]
        signal.setitimer(signal.ITIMER_REAL, 0 if rang else left)
        signal.signal(signal.SIGALRM, first)


def _frames(frame: types.FrameType | None) -> Iterator[types.FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back
