"""When two answers are the same, and how much it says that they are."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import Any

from grader.judge.diagnosis.recording import Exchange, Recording
from grader.wire.codec import is_tensor
from grader.wire.messages import Call, Failure, Handle, Reply

HINT = 0.2  # the weight of what agrees, but with other words or by a common accident
ENOUGH = 2  # answers that differ from the solution's and agree with a mistake's, weighed
ALTERNATIVES = 3  # mistakes that nothing tells apart; more of them say nothing
RTOL, ATOL = 1e-3, 1e-5
CLOSE = 0.05
TELLING_NOTHING = {"NameError", "AttributeError", "ImportError", "SyntaxError", "NotImplementedError", "TypeError"}


def same(one: Reply | Failure, other: Reply | Failure, *, in_form: bool = True) -> bool:
    """Whether two answers are equal, numbers up to rounding, exceptions by type and text.

    Without ``in_form`` it does not matter in which form a number or a sequence comes.
    """
    if isinstance(one, Failure) or isinstance(other, Failure):
        return isinstance(one, Failure) and alike(one, other) and one.message == getattr(other, "message", None)
    parts = ("value", "args", "kwargs", "parameters")
    return all(_equal(getattr(one, name), getattr(other, name), in_form) for name in parts) and (
        _equal(one.gradients, other.gradients, in_form)
        or (not in_form and all(map(_equal_gradients, one.gradients, other.gradients)))
    )


def alike(one: Reply | Failure, other: Reply | Failure) -> bool:
    """Whether both are exceptions of one type: with other words that says little, for or against a mistake."""
    return isinstance(one, Failure) and isinstance(other, Failure) and one.types[:1] == other.types[:1]


def nearly(one: Reply | Failure, other: Reply | Failure) -> bool:
    """Whether two answers are numbers that are nearly the same, as the losses of two trainings in different orders."""
    if not (isinstance(one, Reply) and isinstance(other, Reply)):
        return False
    first, second = _numbers(one.value), _numbers(other.value)
    close = [math.isclose(a, b, rel_tol=CLOSE) for a, b in zip(first, second, strict=False)]
    return bool(close) and len(first) == len(second) and all(close)


def _numbers(value: Any) -> list[float]:
    if isinstance(value, list | tuple):
        return [number for item in value for number in _numbers(item)]
    if is_tensor(value) and value.numel() == 1:
        return _numbers(value.item())
    return [value] if isinstance(value, float) else []


def _equal(one: Any, other: Any, in_form: bool = True) -> bool:
    if not in_form:
        one, other = _plain(one), _plain(other)
    if is_tensor(one) or is_tensor(other):
        if not (is_tensor(one) and is_tensor(other)) or one.shape != other.shape:
            return False
        floating = one.dtype.is_floating_point and other.dtype.is_floating_point
        if one.dtype != other.dtype and not (floating and not in_form):
            return False
        if not floating:
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
        return (
            type(one) is type(other) and len(one) == len(other) and all(map(_equal, one, other, [in_form] * len(one)))
        )
    if isinstance(one, dict):
        return (
            isinstance(other, dict)
            and one.keys() == other.keys()
            and all(_equal(one[k], other[k], in_form) for k in one)
        )
    return (type(one) is type(other) or not in_form) and bool(one == other)


def _equal_gradients(one: Any, other: Any) -> bool:
    """Whether two gradients are equal; no gradient at all is one of zeros."""
    if one is None or other is None:
        present = other if one is None else one
        return present is None or not bool(present.any())
    return _equal(one, other, in_form=False)


def _plain(value: Any) -> Any:
    """The value without what its form adds: a tensor of one number is a number, a tuple is a list."""
    if is_tensor(value) and value.dim() == 0:
        return value.item()
    return list(value) if isinstance(value, tuple) else value


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


def weight(exchange: Exchange, right: Reply | Failure) -> float:
    """How unlikely it is that two programs give this wrong answer by chance; what is right in it says nothing."""
    outcome = exchange.outcome
    if isinstance(outcome, Failure):
        return ENOUGH if outcome.message and tells(outcome) else HINT
    if _handed_back(exchange.call, outcome):
        return 0
    if isinstance(right, Failure):
        return _weight(outcome.value)
    parts = [
        *zip((outcome.value, *outcome.gradients), (right.value, *right.gradients), strict=False),
        *zip(outcome.args, right.args, strict=False),
        *((value, right.kwargs.get(name)) for name, value in outcome.kwargs.items()),
        *((value, right.parameters.get(name)) for name, value in outcome.parameters.items()),
    ]
    cut_off = any(
        found is None and is_tensor(expected)
        for found, expected in zip(outcome.gradients, right.gradients, strict=False)
    )
    return max((_weight(found) for found, expected in parts if not _equal(found, expected)), default=0) or int(cut_off)


def tells(failure: Failure) -> bool:
    """Whether the type of an exception alone says something: most slips of the pen end in one of the others."""
    return not set(failure.types) & TELLING_NOTHING


def _handed_back(call: Call, reply: Reply) -> bool:
    """Whether the result is an argument, as it came."""
    if reply.gradients or reply.args or not (is_tensor(reply.value) or isinstance(reply.value, str | list | tuple)):
        return False
    return any(_equal(reply.value, value) for value in (*call.args, *call.kwargs.values()))


def _weight(value: Any) -> float:
    if is_tensor(value) and value.numel() == 1:
        return _weight(value.item())
    if is_tensor(value):
        return ENOUGH if value.numel() > 1 and value.unique().numel() > 1 else 1
    if isinstance(value, float):
        return (1 if value.is_integer() else ENOUGH) if math.isfinite(value) else HINT
    if isinstance(value, list | tuple):
        return min(ENOUGH, sum(map(_weight, value)))
    if isinstance(value, dict):  # tensors in it are a module's: read, not computed
        return min(ENOUGH, sum(_weight(one) for one in value.values() if not is_tensor(one)))
    return 1 if isinstance(value, int | str | bool) else HINT


def both_nan(one: Reply | Failure, other: Reply | Failure, right: Reply | Failure) -> bool:
    """Whether both have NaN in a part where the right answer has none: where in it differs from program to program."""
    if not all(isinstance(answer, Reply) for answer in (one, other, right)):
        return False
    return any(
        _has_nan(first) and _has_nan(second) and not _has_nan(expected)
        for first, second, expected in zip(*map(_parts, (one, other, right)), strict=False)
    )


def _parts(reply: Any) -> list[Any]:
    return [reply.value, *reply.gradients, *reply.parameters.values()]


def _has_nan(value: Any) -> bool:
    if is_tensor(value):
        return bool((value != value).any())
    if isinstance(value, list | tuple):
        return any(map(_has_nan, value))
    return isinstance(value, float) and math.isnan(value)
