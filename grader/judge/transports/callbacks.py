"""Functions of a test that the student's code may call, such as the ``step`` of a beam search."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from grader.judge.transports.outcomes import StudentFailure, misused
from grader.wire.codec import copy
from grader.wire.messages import Callback, Handle

MAX_CALLS = 20_000  # of our functions, within one call of the student's


class Callbacks:
    """The functions among a call's arguments, by number.

    What such a function raises (a test's assertion about what it was asked, say) is kept, and ends the test however
    the student's code takes it.
    """

    def __init__(self) -> None:
        self.functions: list[Callable[..., Any]] = []
        self.error: BaseException | None = None
        self.calls = 0

    def replace(self, value: Any) -> Any:
        """The value with every function in it replaced by its number, every remote object by its handle."""
        if isinstance(handle := getattr(value, "handle", None), Handle):
            return handle
        if callable(value):
            self.functions.append(value)
            return Callback(len(self.functions) - 1)
        if isinstance(value, list | tuple):
            return type(value)(self.replace(item) for item in value)
        if isinstance(value, dict):
            return {key: self.replace(item) for key, item in value.items()}
        return value

    def answer_here(self, number: int, args: tuple[Any, ...]) -> Any:
        """For code in this process: a copy each way, so that neither side changes the other's data."""
        return copy(self.answer(number, copy(args)))

    def answer(self, number: int, args: tuple[Any, ...]) -> Any:
        self.calls += 1
        try:
            return self.functions[number](*args)
        except Exception as error:
            if isinstance(error, AssertionError | StudentFailure):
                self.error = error
            else:  # our function works with what it is made for, so it was asked with something else
                self.error = misused(type(error).__name__)
            raise self.error from error
        except BaseException as error:
            self.error = error
            raise
