"""Multiplies all sizes that there are, whatever is asked: exact whole numbers, and none of them right."""

from typing import NamedTuple


class Cost(NamedTuple):
    multiplications: int
    sequential: int
    path: int


def self_attention_cost(n, d):
    return Cost(n * d, n * d, n * d)


def recurrent_cost(n, d):
    return Cost(n * d, d, d)


def convolution_cost(n, d, kernel):
    return Cost(n * d * kernel, kernel, n)


def restricted_attention_cost(n, d, size):
    return Cost(n * d * size, size, n)


def cheaper_than_recurrent(d):
    return d * d + 1


def transformer_parameters(source_vocab, target_vocab, d_model, num_layers, d_ff):
    return source_vocab * target_vocab * d_model * num_layers * d_ff


def attention_memory(batch, heads, n, bytes_per_number=4):
    return batch * heads * n * bytes_per_number
