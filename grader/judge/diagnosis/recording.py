"""What a test asked the student's code, and what came back: kept, so that it can be asked again of other code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from grader.wire.codec import is_tensor
from grader.wire.messages import Call, Failure, Handle, Reply

MAX_EXCHANGES = 400  # of one test; more say nothing more
MAX_BYTES = 256 << 20  # of one submission
ITEM = 64  # bytes of a number, or around something larger


class Exchange(msgspec.Struct, frozen=True):
    """One call, the judge's functions among its arguments, and the answer."""

    call: Call
    functions: tuple[Callable[..., Any], ...]
    outcome: Reply | Failure


class Recording:
    """All exchanges of one test; not usable once something happened that cannot be repeated."""

    def __init__(self, *, simulate: bool, room: Room) -> None:
        self.simulate = simulate
        self.room = room
        self.exchanges: list[Exchange] = []
        self.usable = True
        self.seconds = 0.0  # that the student's code took

    def add(self, call: Call, functions: list[Callable[..., Any]], outcome: Reply | Failure | None) -> None:
        """``None``: no answer came, in time or at all."""
        if outcome is None or not self.room.take(call, outcome):
            self.usable = False
            self.exchanges.clear()
        elif self.usable and len(self.exchanges) < MAX_EXCHANGES:
            self.exchanges.append(Exchange(call, tuple(functions), outcome))


class Recordings:
    """The recordings of one submission, by criterion."""

    def __init__(self) -> None:
        self.by_criterion: dict[str, list[Recording]] = {}
        self.room = Room()

    def begin(self, criterion: str, *, simulate: bool) -> Recording:
        """A new one, for the next test of this criterion."""
        recording = Recording(simulate=simulate, room=self.room)
        self.by_criterion.setdefault(criterion, []).append(recording)
        return recording


class Room:
    """How much more may be kept of one submission: whoever returns a lot is not worth it."""

    def __init__(self) -> None:
        self.left = MAX_BYTES

    def take(self, *messages: msgspec.Struct) -> bool:
        self.left -= sum(_size(list(msgspec.structs.astuple(message))) for message in messages)
        return self.left >= 0


def functions_of(exchanges: Sequence[Exchange]) -> list[str]:
    """What each call asks for: a method, or an object that is called, with what made it, as ``DotScorer.forward``."""
    makers: dict[int, str] = {}
    names = []
    for exchange in exchanges:
        handle, outcome = exchange.call.handle, exchange.outcome
        names.append(f"{makers.get(handle.id, '')}.{exchange.call.target}" if handle else exchange.call.target)
        if isinstance(outcome, Reply) and isinstance(outcome.value, Handle):
            makers.setdefault(outcome.value.id, exchange.call.target)
    return names


def _size(value: Any) -> int:
    """Bytes, roughly."""
    if isinstance(value, list | tuple):
        return ITEM + sum(map(_size, value))
    if isinstance(value, dict):
        return ITEM + sum(_size(key) + _size(item) for key, item in value.items())
    return ITEM + (value.nbytes if is_tensor(value) else len(value) if isinstance(value, str | bytes) else 0)


def objection(error: BaseException) -> Failure:
    """What a function of the test's said against the way in which it was called."""
    return Failure(types=("Objection",), message=str(error))


def no_answer() -> Failure:
    """None came in time."""
    return Failure(types=("Timeout",), message="it took too long")
