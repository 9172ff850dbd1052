"""How far a model's answers are from the right ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

Symbols = Sequence[str]


class ErrorRates(NamedTuple):
    """Shares of what is wrong: 0 is perfect."""

    symbols: float  # edits / symbols of the references; can exceed 1
    sequences: float  # answers that are not exactly right


def error_rates(answers: Sequence[Symbols], references: Sequence[Sequence[Symbols]]) -> ErrorRates:
    """Over all answers together; where several references are right, the nearest counts."""
    edits = length = wrong = 0
    for answer, right in zip(answers, references, strict=True):
        distance, nearest = min(((distance_between(answer, one), one) for one in right), key=lambda found: found[0])
        edits += distance
        length += len(nearest)
        wrong += distance > 0
    return ErrorRates(edits / max(length, 1), wrong / max(len(answers), 1))


def distance_between(source: Symbols, target: Symbols) -> int:
    row = list(range(len(target) + 1))
    for i, item in enumerate(source, 1):
        above, row = row, [i]
        for j, other in enumerate(target, 1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (item != other)))
    return row[-1]
