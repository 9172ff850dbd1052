"""Adds what should be multiplied; every layer takes one step and one layer."""

from typing import NamedTuple


class Cost(NamedTuple):
    multiplications: int
    sequential: int
    path: int


def self_attention_cost(n, d):
    return Cost(n + d, 1, 2)


def recurrent_cost(n, d):
    return Cost(n + d, 1, 1)


def convolution_cost(n, d, kernel):
    return Cost(n + d + kernel, 1, 1)


def restricted_attention_cost(n, d, size):
    return Cost(n + d + size, 1, 1)


def cheaper_than_recurrent(d):
    return d + 2


def transformer_parameters(source_vocab, target_vocab, d_model, num_layers, d_ff):
    return source_vocab + target_vocab + d_model + num_layers + d_ff


def attention_memory(batch, heads, n, bytes_per_number=4):
    return batch + heads + n + bytes_per_number
