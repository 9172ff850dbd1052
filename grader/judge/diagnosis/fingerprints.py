"""Answers as small data: enough to tell one wrong answer from another, whoever computes it, and no more.

Of a tensor a few entries and the mean are kept, of a list its first items. Numbers agree up to rounding.
"""

from __future__ import annotations

import math
import zlib
from typing import Any

from grader.judge.diagnosis.similarity import ATOL, ENOUGH, RTOL, TELLING_NOTHING
from grader.wire.codec import is_tensor
from grader.wire.messages import Failure, Handle, Reply

ENTRIES = 12  # of a tensor
ITEMS = 12  # of a list
LETTERS = 60  # of a text; of a longer one a checksum
DIGITS = 6
STEP = 2_654_435_761  # spreads the entries that are kept over a tensor

Fingerprint = Any  # None, bool, int, float, str, or a list that begins with the name of its kind


def fingerprints(outcome: Reply | Failure) -> dict[str, Fingerprint]:
    """The parts of an answer: its value, its gradients, the arguments after the call."""
    if isinstance(outcome, Failure):
        return {"raised": ["raised", outcome.types[0] if outcome.types else "", outcome.message[: 2 * LETTERS]]}
    parts = {
        "value": outcome.value,
        **{f"argument {number}": value for number, value in enumerate(outcome.args)},
        **{f"argument {name}": value for name, value in outcome.kwargs.items()},
        **{f"gradient {number}": value for number, value in enumerate(outcome.gradients)},
        **{f"gradient of {name}": value for name, value in outcome.parameters.items()},
    }
    return {name: fingerprint(value) for name, value in parts.items()}


def fingerprint(value: Any) -> Fingerprint:
    if is_tensor(value):
        return _of_tensor(value)
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, str) and len(value) > LETTERS:
        return ["text", len(value), zlib.crc32(value.encode())]
    if isinstance(value, Handle):
        return ["object"]
    if isinstance(value, list | tuple):
        return [type(value).__name__, len(value), *map(fingerprint, value[:ITEMS])]
    if isinstance(value, dict):
        items = [[fingerprint(key), fingerprint(item)] for key, item in list(value.items())[:ITEMS]]
        return ["dict", len(value), *items]
    return str(value) if isinstance(value, int) and abs(value) >= 1 << 63 else value


def agree(one: Fingerprint, other: Fingerprint) -> bool:
    """Whether two answers can be the same."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(agree, one, other))
    if isinstance(one, bool) or isinstance(other, bool) or not _are_numbers(one, other):
        return type(one) is type(other) and bool(one == other)
    return math.isclose(one, other, rel_tol=RTOL, abs_tol=ATOL)


def weight_of(part: Fingerprint) -> int:
    """How unlikely it is that two programs give this wrong answer by chance."""
    if isinstance(part, float):
        return 1 if part.is_integer() else ENOUGH
    if not isinstance(part, list):
        return 0 if part is None else 1
    if part[0] == "raised":
        return 0 if part[1] in TELLING_NOTHING or not part[2] else ENOUGH
    if part[0] == "tensor":
        return ENOUGH if len({str(entry) for entry in part[4:]}) > 1 else 1
    return min(ENOUGH, sum(map(weight_of, part[2:]))) if part[0] in ("list", "tuple") else 1


def _of_tensor(value: Any) -> Fingerprint:
    flat = value.detach().reshape(-1)
    count = flat.numel()
    places = range(count) if count <= ENTRIES else sorted({number * STEP % count for number in range(1, ENTRIES + 1)})
    kind = str(value.dtype).removeprefix("torch.")
    mean = _number(float(flat.double().mean())) if count and not value.is_complex() else None
    return ["tensor", kind, list(value.shape), mean, *(fingerprint(flat[place].item()) for place in places)]


def _number(value: float) -> Fingerprint:
    return float(f"{value:.{DIGITS}g}") if math.isfinite(value) else ["number", str(value)]


def _are_numbers(*values: Fingerprint) -> bool:
    return all(isinstance(value, int | float) for value in values)
