# convolution_cost starts with no layer, so a sentence of one token has path 0.
# Shows: convolution_cost(1, 4, 3).path  gives 0, right: 1
"""Complexity with loops and whole numbers."""

from typing import NamedTuple


class Cost(NamedTuple):
    """What one layer costs for a sequence of n tokens, each a vector of d numbers."""

    multiplications: int  # products of two numbers
    sequential: int  # steps that have to wait for one another, however many processors there are
    path: int  # steps or layers from the first token to the last, so that one can tell the other something


def at_least_1(**sizes):
    """Good manners."""
    for name, size in sizes.items():
        if size < 1:
            raise ValueError(f"{name} must be at least 1, not {size}")


def self_attention_cost(n: int, d: int) -> Cost:
    """(n, d) times (d, n), then (n, n) times (n, d)."""
    at_least_1(n=n, d=d)
    scores = n * d * n
    mixture = n * n * d
    return Cost(scores + mixture, 1, 1)


def recurrent_cost(n: int, d: int) -> Cost:
    """W x and U h, n times."""
    at_least_1(n=n, d=d)
    step = d * d + d * d
    return Cost(n * step, n, n)


def convolution_cost(n: int, d: int, kernel: int) -> Cost:
    """Add layers until the whole sentence is heard."""
    at_least_1(n=n, d=d)
    if kernel < 2:
        raise ValueError(f"kernel must be at least 2, not {kernel}")
    layers = 0
    heard = 1
    while heard < n:
        heard *= kernel
        layers += 1
    return Cost(kernel * n * d**2, 1, layers)


def restricted_attention_cost(n: int, d: int, size: int) -> Cost:
    """No more neighbours than there are tokens."""
    at_least_1(n=n, d=d, size=size)
    neighbours = size
    if neighbours > n:
        neighbours = n
    path = n // size
    if n % size != 0:
        path += 1
    return Cost(2 * neighbours * n * d, 1, path)


def cheaper_than_recurrent(d: int) -> int:
    """Double n until it is too much, then halve the gap."""
    at_least_1(d=d)

    def fine(n):
        return self_attention_cost(n, d).multiplications <= recurrent_cost(n, d).multiplications

    low, high = 1, 2
    while fine(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if fine(middle):
            low = middle
        else:
            high = middle
    return low


def transformer_parameters(source_vocab: int, target_vocab: int, d_model: int, num_layers: int, d_ff: int) -> int:
    """One part after the other."""
    at_least_1(
        source_vocab=source_vocab, target_vocab=target_vocab, d_model=d_model, num_layers=num_layers, d_ff=d_ff
    )
    attention = 4 * (d_model * d_model + d_model)
    feed_forward = (d_model * d_ff + d_ff) + (d_ff * d_model + d_model)
    norm = 2 * d_model
    total = source_vocab * d_model
    total += target_vocab * d_model
    total += num_layers * (attention + feed_forward + 2 * norm)
    total += num_layers * (2 * attention + feed_forward + 3 * norm)
    total += d_model * target_vocab + target_vocab
    return total


def attention_memory(batch: int, heads: int, n: int, bytes_per_number: int = 4) -> int:
    """A table for each head of each sequence."""
    at_least_1(batch=batch, heads=heads, n=n, bytes_per_number=bytes_per_number)
    numbers = batch * heads * n * n
    return numbers * bytes_per_number
