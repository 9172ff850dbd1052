"""What a test asked the student's code, and what came back: kept, so that it can be asked again of other code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from grader.wire.messages import Call, Failure, Reply

MAX_EXCHANGES = 400  # of one test; more say nothing more


class Exchange(msgspec.Struct, frozen=True):
    """One call, the judge's functions among its arguments, and the answer."""

    call: Call
    functions: tuple[Callable[..., Any], ...]
    outcome: Reply | Failure


class Recording:
    """All exchanges of one test; not usable once something happened that cannot be repeated."""

    def __init__(self, *, simulate: bool) -> None:
        self.simulate = simulate
        self.exchanges: list[Exchange] = []
        self.usable = True

    def add(self, call: Call, functions: list[Callable[..., Any]], outcome: Reply | Failure | None) -> None:
        """``None``: no answer came, in time or at all."""
        if outcome is None:
            self.usable = False
        elif len(self.exchanges) < MAX_EXCHANGES:
            self.exchanges.append(Exchange(call, tuple(functions), outcome))


def objection(error: BaseException) -> Failure:
    """What a function of the test's said against the way in which it was called."""
    return Failure(types=("Objection",), message=str(error))


def no_answer() -> Failure:
    """None came in time."""
    return Failure(types=("Timeout",), message="it took too long")
