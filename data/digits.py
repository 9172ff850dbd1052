"""Reversing digits: the smallest task that needs attention to go where it must.

The target is the source read backwards, so a model that has learned it looks at the last digit first.
"""

from __future__ import annotations

import random

Pair = tuple[str, str]


def reverse_pairs(count: int, *, seed: int, shortest: int = 3, longest: int = 8) -> list[Pair]:
    """``count`` distinct sources of ``shortest`` to ``longest`` digits, each with its reverse."""
    if not 1 <= shortest <= longest:
        raise ValueError(f"shortest must be at least 1 and at most longest, found {shortest} and {longest}")
    possible = sum(10**length for length in range(shortest, longest + 1))
    if not 0 <= count <= possible // 2:  # beyond half of them, drawing until all are distinct gets slow
        raise ValueError(f"count must be between 0 and {possible // 2} for these lengths, found {count}")
    rng = random.Random(seed)
    sources: dict[str, None] = {}  # distinct, in the order of drawing
    while len(sources) < count:
        length = rng.randint(shortest, longest)
        sources["".join(rng.choices("0123456789", k=length))] = None
    return [(source, source[::-1]) for source in sources]
