# convolution_cost counts the digits of n instead of those of n - 1: one layer too many where n is a power of the kernel.
# Shows: convolution_cost(9, 4, 3).path  gives 3, right: 2
"""Complexity with numpy's 64-bit integers."""

from typing import NamedTuple

import numpy as np


class Cost(NamedTuple):
    """What one layer costs for a sequence of n tokens, each a vector of d numbers."""

    multiplications: int  # products of two numbers
    sequential: int  # steps that have to wait for one another, however many processors there are
    path: int  # steps or layers from the first token to the last, so that one can tell the other something


def product(*factors):
    """A np.int64, exact below 2 ** 63."""
    return np.prod(np.array(factors, dtype=np.int64))


def self_attention_cost(n, d):
    """Twice n n d."""
    return Cost(product(2, n, n, d), 1, 1)


def recurrent_cost(n, d):
    """Two d x d matrices in each step."""
    return Cost(product(2, n, d, d), n, n)


def convolution_cost(n, d, kernel):
    """The path is the number of digits of n in base kernel."""
    rest, base = np.int64(n), np.int64(kernel)
    digits = np.int64(1)
    while rest >= base:
        rest //= base
        digits += 1
    return Cost(product(kernel, n, d, d), 1, digits)


def restricted_attention_cost(n, d, size):
    """divmod instead of a float."""
    whole, rest = divmod(np.int64(n), np.int64(size))
    return Cost(product(2, min(n, size), n, d), 1, whole + (rest > 0))


def cheaper_than_recurrent(d):
    """Both curves meet at n = d."""
    return np.int64(d)


def transformer_parameters(source_vocab, target_vocab, d_model, num_layers, d_ff):
    """Numbers of parts times sizes of parts."""
    sizes = np.array(
        [
            d_model * d_model + d_model,  # Linear(d_model, d_model)
            2 * d_model * d_ff + d_ff + d_model,  # feed-forward
            2 * d_model,  # norm
        ],
        dtype=np.int64,
    )
    encoder = np.array([4, 1, 2], dtype=np.int64)
    decoder = np.array([8, 1, 3], dtype=np.int64)
    layers = num_layers * (encoder @ sizes + decoder @ sizes)
    return layers + product(source_vocab, d_model) + product(target_vocab, 2 * d_model + 1)


def attention_memory(batch, heads, n, bytes_per_number=4):
    """The size of an array of that shape, times the bytes."""
    return product(batch, heads, n, n, bytes_per_number)
