"""numpy's whole numbers come back as they are; nothing is a Python int until somebody asks."""

from typing import NamedTuple

import numpy as np


class Cost(NamedTuple):
    multiplications: int
    sequential: int
    path: int


def product(*sizes):
    return np.prod(np.array(sizes, dtype=np.int64))


def self_attention_cost(n, d):
    return Cost(product(2, n, n, d), np.int64(1), np.int64(1))


def recurrent_cost(n, d):
    return Cost(product(2, n, d, d), np.int64(n), np.int64(n))


def convolution_cost(n, d, kernel):
    powers = [kernel**k for k in range(1, 70)]
    first = next(k for k, power in enumerate(powers, start=1) if power >= n)
    return Cost(product(kernel, n, d, d), np.int64(1), np.int64(first))


def restricted_attention_cost(n, d, size):
    return Cost(product(2, np.minimum(size, n), n, d), np.int64(1), -(-np.int64(n) // np.int64(size)))


def cheaper_than_recurrent(d):
    lengths = np.arange(1, 3 * d + 1)
    return lengths[2 * lengths**2 * d <= 2 * lengths * d**2].max()


def transformer_parameters(source_vocab, target_vocab, d_model, num_layers, d_ff):
    attention = [(d_model, d_model), (d_model,)] * 4
    hidden = [(d_model, d_ff), (d_ff,), (d_ff, d_model), (d_model,)]
    norm = [(d_model,), (d_model,)]
    layer = attention + hidden + norm * 2 + attention * 2 + hidden + norm * 3
    model = layer * num_layers + [(source_vocab, d_model), (target_vocab, d_model), (d_model, target_vocab)]
    return sum(product(*shape) for shape in model + [(target_vocab,)])


def attention_memory(batch, heads, n, bytes_per_number=4):
    return product(batch, heads, n, n, bytes_per_number)
