"""When two answers are the same, and how much it says that they are."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import Any

from grader.judge.diagnosis.recording import Exchange, Recording
from grader.wire.codec import is_tensor
from grader.wire.messages import Call, Failure, Handle, Reply

ENOUGH = 2  # answers that differ from the solution's and agree with a mistake's, weighed
RTOL, ATOL = 1e-3, 1e-5
TELLING_NOTHING = {"NameError", "AttributeError", "ImportError", "SyntaxError", "NotImplementedError", "TypeError"}


def same(one: Reply | Failure, other: Reply | Failure) -> bool:
    """Whether two answers are equal, numbers up to rounding, exceptions by type and text."""
    if isinstance(one, Failure) or isinstance(other, Failure):
        return (
            isinstance(one, Failure)
            and isinstance(other, Failure)
            and one.types[:1] == other.types[:1]
            and one.message == other.message
        )
    parts = ("value", "args", "kwargs", "gradients", "parameters")
    return all(_equal(getattr(one, name), getattr(other, name)) for name in parts)


def _equal(one: Any, other: Any) -> bool:
    if is_tensor(one) or is_tensor(other):
        if not (is_tensor(one) and is_tensor(other)) or one.shape != other.shape or one.dtype != other.dtype:
            return False
        if not one.dtype.is_floating_point:
            return bool((one == other).all())
        close = sys.modules["torch"].allclose(one.double(), other.double(), rtol=RTOL, atol=ATOL, equal_nan=True)
        return bool(close)
    if isinstance(one, Handle) or isinstance(other, Handle):
        return isinstance(one, Handle) and isinstance(other, Handle)
    if isinstance(one, float) or isinstance(other, float):
        if not all(isinstance(value, int | float) for value in (one, other)):
            return False
        try:
            return math.isclose(one, other, rel_tol=RTOL, abs_tol=ATOL) or (math.isnan(one) and math.isnan(other))
        except OverflowError:  # an integer beyond all floats
            return False
    if isinstance(one, list | tuple):
        return type(one) is type(other) and len(one) == len(other) and all(map(_equal, one, other))
    if isinstance(one, dict):
        return isinstance(other, dict) and one.keys() == other.keys() and all(_equal(one[k], other[k]) for k in one)
    return type(one) is type(other) and bool(one == other)


def monotonous(tests: Sequence[Recording]) -> frozenset[str]:
    """Functions that give one and the same answer whatever they are asked: it agrees with a mistake's by chance."""
    answers: dict[str, list[Reply | Failure]] = {}
    for exchange in (exchange for test in tests for exchange in test.exchanges):
        if exchange.call.handle is None:
            answers.setdefault(exchange.call.target, []).append(exchange.outcome)
    return frozenset(
        target
        for target, (first, *others) in answers.items()
        if len(others) >= 2
        and isinstance(first, Reply)
        and not _tensors(first.value)
        and all(isinstance(other, Reply) and _equal(first.value, other.value) for other in others)
    )


def _tensors(value: Any) -> bool:
    return is_tensor(value) and value.numel() > 1


def weight(exchange: Exchange) -> int:
    """How unlikely it is that two programs answer so by chance."""
    outcome = exchange.outcome
    if isinstance(outcome, Failure):
        return 0 if set(outcome.types) & TELLING_NOTHING or not outcome.message else ENOUGH
    if _handed_back(exchange.call, outcome):
        return 0
    return max(_weight(outcome.value), *map(_weight, outcome.gradients), *map(_weight, outcome.args), 0)


def _handed_back(call: Call, reply: Reply) -> bool:
    """Whether the result is an argument, as it came."""
    if reply.gradients or reply.args or not (is_tensor(reply.value) or isinstance(reply.value, str | list | tuple)):
        return False
    return any(_equal(reply.value, value) for value in (*call.args, *call.kwargs.values()))


def _weight(value: Any) -> int:
    if is_tensor(value):
        return ENOUGH if value.numel() > 1 and value.unique().numel() > 1 else min(1, int(value.numel()))
    if isinstance(value, float):
        return ENOUGH if math.isfinite(value) and not value.is_integer() else 1
    if isinstance(value, list | tuple):
        return min(ENOUGH, sum(map(_weight, value)))
    return 1 if isinstance(value, int | str | bool) else 0
