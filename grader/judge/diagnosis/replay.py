"""Asks a program of ours what a test asked the student's code.

The programs are the solution and its known mistakes, so they run here. The student's answers were data when they came,
and are only compared.
"""

from __future__ import annotations

import contextlib
import importlib
import signal
import sys
import time
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec

from grader.judge.diagnosis.recording import Exchange, Recording, no_answer, objection
from grader.judge.diagnosis.suspects import Suspects
from grader.judge.transports.callbacks import Callbacks
from grader.judge.transports.outcomes import StudentFailure
from grader.wire.codec import CodecError, as_sent, copy
from grader.wire.messages import Call, Failure, Handle, Load, Reply
from grader.worker.executor import Executor, Sources, StudentError
from grader.worker.loop import simulate_accelerator

Answer = Reply | Failure
LEAST_SECONDS, TIMES = 0.3, 20


def limit_of(seconds: float) -> float:
    """The seconds that a known mistake may take for a test that took so many."""
    return max(LEAST_SECONDS, TIMES * seconds)


class OutOfTime(Exception):  # noqa: N818  # no error: the rest is not looked at
    """Enough time was spent on this submission."""


class Clock:
    """How long the search for mistakes may take: processor time, so that a busy machine finds the same; and the end
    of the student's time, by time.monotonic."""

    def __init__(self, seconds: float, deadline: float) -> None:
        self.end = time.process_time() + seconds
        self.deadline = deadline

    def part(self, share: float) -> Clock:
        """A clock that runs out after this share of the time that is left."""
        return Clock(max(0.0, self.end - time.process_time()) * share, self.deadline)

    @property
    def left(self) -> float:
        return min(self.end - time.process_time(), self.deadline - time.monotonic())


def replay(
    suspects: Suspects,
    code: types.CodeType,
    test: Recording,
    go_on: Callable[[int, Answer | None], bool],
    seconds: float,
    clock: Clock,
) -> None:
    """Ask the program call after call, while ``go_on`` agrees; it hears the number of the call and the answer.

    An answer that cannot be had is None, and the last one; so is one that takes longer than ``seconds``.
    """
    left = clock.left
    if left <= 0:
        raise OutOfTime
    number = 0
    try:
        with _time_limit(min(seconds, left)):
            if test.simulate:
                simulate_accelerator()
            subject = _Subject(suspects, code)
            for number, exchange in enumerate(test.exchanges):
                answer = subject.answer(exchange)
                if not go_on(number, answer) or answer is None:
                    return
    except _Rang:
        if left < seconds:  # it is not this program that takes too long
            raise OutOfTime from None
        go_on(number, no_answer())


class _Subject:
    """A program of ours that answers a student's calls; handles are translated between the two."""

    def __init__(self, suspects: Suspects, code: types.CodeType) -> None:
        self.callbacks = Callbacks()
        load = Load(name=suspects.exercise, sources={}, forbidden=suspects.forbidden)
        self.executor = Executor(load, lambda number, args: self.callbacks.answer_here(number, args))
        self.handles: dict[int, int] = {}  # the student's number -> ours
        finder = _Compiled({**suspects.others, suspects.exercise: code})
        for name in finder.codes:
            sys.modules.pop(name, None)
        sys.meta_path.insert(0, finder)
        try:
            self.executor.module = importlib.import_module(suspects.exercise)
        finally:
            sys.meta_path.remove(finder)

    def answer(self, exchange: Exchange) -> Answer | None:
        self.callbacks = Callbacks()
        self.callbacks.functions = list(exchange.functions)
        try:
            plain = as_sent(self.executor.call(self._translated(exchange.call)))
        except StudentError as error:
            # A function of the test's objected to what it was asked.
            if isinstance(self.callbacks.error, AssertionError):
                return objection(self.callbacks.error)
            return error.failure if isinstance(error.failure, Failure) else None
        except (CodecError, LookupError, StudentFailure):
            return None
        if isinstance(exchange.outcome, Reply):
            self._note(exchange.outcome.value, plain.value)
        return plain

    def _note(self, theirs: Any, ours: Any) -> None:
        if isinstance(theirs, Handle) and isinstance(ours, Handle):
            self.handles[theirs.id] = ours.id
        elif isinstance(theirs, list | tuple) and isinstance(ours, list | tuple):
            for their, our in zip(theirs, ours, strict=False):
                self._note(their, our)

    def _translated(self, call: Call) -> Call:
        """The call as this program would get it: a copy, with its own handles."""
        handle, args, kwargs = copy(self._mapped((call.handle, call.args, call.kwargs)))
        return msgspec.structs.replace(call, handle=handle, args=args, kwargs=kwargs, memory=False)

    def _mapped(self, value: Any) -> Any:
        if isinstance(value, Handle):
            return Handle(self.handles[value.id], "")
        if isinstance(value, list | tuple):
            return type(value)(self._mapped(item) for item in value)
        if isinstance(value, dict):
            return {key: self._mapped(item) for key, item in value.items()}
        return value


class _Compiled(Sources):
    """Modules that are compiled already."""

    def __init__(self, codes: Mapping[str, types.CodeType]) -> None:
        super().__init__({name: (f"{name}.py", b"") for name in codes})
        self.codes = codes

    def exec_module(self, module: types.ModuleType) -> None:
        exec(self.codes[module.__name__], module.__dict__)  # noqa: S102  # the solution, or a mistake of ours in it


class _Rang(BaseException):
    """Past everything that catches exceptions."""


@contextlib.contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    """A mistake may be one that never ends. Processor time counts, so that a busy machine finds the same."""

    def ring(*_: object) -> None:
        raise _Rang

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
