"""Short functions that ask themselves about something smaller."""

from typing import NamedTuple


class Cost(NamedTuple):
    multiplications: int
    sequential: int
    path: int


def hops(n, kernel):
    """Layers until n tokens are heard: the last one joins groups of `kernel`."""
    return 1 if n <= kernel else 1 + hops((n + kernel - 1) // kernel, kernel)


def blocks(n, size):
    return 1 if n <= size else 1 + blocks(n - size, size)


def self_attention_cost(n, d):
    if n == 1:
        return Cost(2 * d, 1, 1)
    # one token more: it asks n keys, and n - 1 others ask one key more
    return Cost(self_attention_cost(n - 1, d).multiplications + (2 * n - 1) * 2 * d, 1, 1)


def recurrent_cost(n, d):
    if n == 0:
        return Cost(0, 0, 0)
    before = recurrent_cost(n - 1, d)
    return Cost(before.multiplications + 2 * d * d, before.sequential + 1, before.path + 1)


def convolution_cost(n, d, kernel):
    return Cost(n * d * d * kernel, 1, hops(n, kernel))


def restricted_attention_cost(n, d, size):
    return Cost(n * 2 * d * (n if n < size else size), sequential=1, path=blocks(n, size))


def cheaper_than_recurrent(d, low=1, high=None):
    if high is None:
        high = 2 * d + 1  # too long for certain
    if high == low + 1:
        return low
    middle = (low + high) // 2
    dearer = 2 * middle * middle * d > recurrent_of(middle, d)
    return cheaper_than_recurrent(d, low, middle) if dearer else cheaper_than_recurrent(d, middle, high)


def recurrent_of(n, d):
    return n * (d * d + d * d)


def transformer_parameters(source_vocab, target_vocab, d_model, num_layers, d_ff):
    if num_layers:
        layer = 12 * d_model * d_model + 4 * d_model * d_ff + 2 * d_ff + 24 * d_model
        return layer + transformer_parameters(source_vocab, target_vocab, d_model, num_layers - 1, d_ff)
    return (source_vocab + 2 * target_vocab) * d_model + target_vocab


def attention_memory(batch, heads, n, bytes_per_number=4):
    if batch == 1:
        return heads * n * n * bytes_per_number
    if batch % 2:
        return attention_memory(1, heads, n, bytes_per_number) + attention_memory(batch - 1, heads, n, bytes_per_number)
    return 2 * attention_memory(batch // 2, heads, n, bytes_per_number)
