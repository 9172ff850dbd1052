# restricted_attention_cost returns a plain tuple in its special case for size >= n: equal to a Cost, but its numbers have no names.
# Shows: restricted_attention_cost(3, 4, 5).path  raises AttributeError, right: 1
"""Complexity from shapes: list every matrix that is multiplied or learned, and count its numbers."""

from bisect import bisect_left
from math import prod
from typing import NamedTuple


class Cost(NamedTuple):
    """What one layer costs for a sequence of n tokens, each a vector of d numbers."""

    multiplications: int  # products of two numbers
    sequential: int  # steps that have to wait for one another, however many processors there are
    path: int  # steps or layers from the first token to the last, so that one can tell the other something


class Work:
    """Adds up matrix products."""

    def __init__(self):
        self.multiplications = 0

    def matmul(self, left, right, times=1):
        """(a, b) times (b, c) -> (a, c)"""
        if left[1] != right[0]:
            raise ValueError(f"{left} and {right} do not fit")
        self.multiplications += times * left[0] * left[1] * right[1]
        return left[0], right[1]


def self_attention_cost(n, d):
    """Scores, then mixture."""
    work = Work()
    weights = work.matmul((n, d), (d, n))
    work.matmul(weights, (n, d))
    return Cost(work.multiplications, 1, 1)


def recurrent_cost(n, d):
    """Matrix times column, twice in each of n steps."""
    work = Work()
    work.matmul((d, d), (d, 1), times=n)
    work.matmul((d, d), (d, 1), times=n)
    return Cost(work.multiplications, n, n)


def convolution_cost(n, d, kernel):
    """As a matrix product with unfolded rows; the path is the first power that is large enough."""
    work = Work()
    work.matmul((n, kernel * d), (kernel * d, d))
    path = bisect_left(range(n.bit_length() + 1), n, lo=1, key=lambda layers: kernel**layers)
    return Cost(work.multiplications, 1, path)


def restricted_attention_cost(n, d, size):
    """One row for each query; few keys."""
    if size >= n:
        return 2 * n * n * d, 1, 1
    work = Work()
    work.matmul((1, d), (d, size), times=n)
    work.matmul((1, size), (size, d), times=n)
    return Cost(work.multiplications, 1, (n - 1) // size + 1)


def cheaper_than_recurrent(d):
    """From the highest bit to the lowest: keep each that does not make it dearer."""
    n = 0
    for bit in reversed(range(d.bit_length() + 1)):
        longer = n | 1 << bit
        if self_attention_cost(longer, d).multiplications <= recurrent_cost(longer, d).multiplications:
            n = longer
    return n


def _linear(name, a, b):
    return {f"{name}.weight": (b, a), f"{name}.bias": (b,)}


def _norm(name, d):
    return {f"{name}.weight": (d,), f"{name}.bias": (d,)}


def _layer(name, d, d_ff, attentions):
    shapes = {}
    for attention in attentions:
        for part in ("query", "key", "value", "out"):
            shapes |= _linear(f"{name}.{attention}.{part}", d, d)
    shapes |= _linear(f"{name}.linear1", d, d_ff) | _linear(f"{name}.linear2", d_ff, d)
    for k in range(len(attentions) + 1):
        shapes |= _norm(f"{name}.norm{k + 1}", d)
    return shapes


def transformer_parameters(source_vocab, target_vocab, d_model, num_layers, d_ff):
    """Names and shapes, as model.named_parameters() would list them; all layers are alike."""
    once = {"source_embedding": (source_vocab, d_model), "target_embedding": (target_vocab, d_model)}
    once |= _linear("output", d_model, target_vocab)
    repeated = _layer("encoder", d_model, d_ff, ["self"]) | _layer("decoder", d_model, d_ff, ["self", "cross"])
    return sum(map(prod, once.values())) + num_layers * sum(map(prod, repeated.values()))


def attention_memory(batch, heads, n, bytes_per_number=4):
    """(batch, heads, n, n)"""
    shape = (batch, heads, n, n)
    return prod(shape) * bytes_per_number
