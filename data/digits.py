"""Reversing digits: the smallest task that needs attention to go where it must.

The target is the source read backwards, so a model that has learned it looks at the last digit first. Where a model is
graded, each digit has another name in the target, drawn by lot: who knows the task knows nothing yet of the names.
"""

from __future__ import annotations

import random
import string

Pair = tuple[str, str]


def draw_names(rng: random.Random) -> str:
    """A letter for each of the ten digits, all different: ``names[3]`` is the new name of 3."""
    return "".join(rng.sample(string.ascii_lowercase, k=10))


def reverse_pairs(
    count: int, *, seed: int, shortest: int = 3, longest: int = 8, names: str = string.digits
) -> list[Pair]:
    """``count`` distinct sources of ``shortest`` to ``longest`` digits, each with its reverse in these ``names``.

    >>> reverse_pairs(1, seed=1, names="abcdefghij")
    [('19314', 'ebdjb')]
    """
    if not 1 <= shortest <= longest:
        raise ValueError(f"shortest must be at least 1 and at most longest, found {shortest} and {longest}")
    possible = sum(10**length for length in range(shortest, longest + 1))
    if not 0 <= count <= possible // 2:  # beyond half of them, drawing until all are distinct gets slow
        raise ValueError(f"count must be between 0 and {possible // 2} for these lengths, found {count}")
    rng = random.Random(seed)
    sources: dict[str, None] = {}  # distinct, in the order of drawing
    while len(sources) < count:
        length = rng.randint(shortest, longest)
        sources["".join(rng.choices(string.digits, k=length))] = None
    return [(source, "".join(names[int(digit)] for digit in reversed(source))) for source in sources]
