"""What a layer costs: products of shapes, and nothing that is ever a float."""

from itertools import count
from math import prod
from typing import NamedTuple


class Cost(NamedTuple):
    multiplications: int
    sequential: int
    path: int


def self_attention_cost(n, d):
    return restricted_attention_cost(n, d, size=n)  # everybody is a neighbour


def recurrent_cost(n, d):
    return Cost(multiplications=prod((n, 2 * d, d)), sequential=n, path=n)


def convolution_cost(n, d, kernel):
    layers = next(layers for layers in count(1) if kernel**layers >= n)
    return Cost(multiplications=prod((n, kernel * d, d)), sequential=1, path=layers)


def restricted_attention_cost(n, d, size):
    blocks, left_over = divmod(n, size)
    return Cost(multiplications=prod((2, n, min(n, size), d)), sequential=1, path=blocks + (1 if left_over else 0))


def cheaper_than_recurrent(d):
    return next(n for n in count(d) if self_attention_cost(n + 1, d)[0] > recurrent_cost(n + 1, d)[0])


def transformer_parameters(source_vocab, target_vocab, d_model, num_layers, d_ff):
    attention = [(d_model, d_model), (1, d_model)] * 4
    hidden = [(d_model, d_ff), (1, d_ff), (d_ff, d_model), (1, d_model)]
    norm = [(2, d_model)]
    encoder = attention + norm + hidden + norm
    decoder = attention + norm + attention + norm + hidden + norm
    rest = [(source_vocab, d_model), (target_vocab, d_model), (d_model, target_vocab), (1, target_vocab)]
    return num_layers * sum(map(prod, encoder + decoder)) + sum(map(prod, rest))


def attention_memory(batch, heads, n, bytes_per_number=4):
    return prod((batch, heads, n, n, bytes_per_number))
