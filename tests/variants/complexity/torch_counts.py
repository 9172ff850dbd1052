"""The weights are those of torch's own layers, counted where they need no memory; products are counted by shapes."""

from math import prod
from typing import NamedTuple

import torch
from torch import nn


class Cost(NamedTuple):
    multiplications: int
    sequential: int
    path: int


def matmul(left, right):
    assert left[-1] == right[0]
    return prod(left) * right[-1]


def self_attention_cost(n, d):
    return Cost(matmul((n, d), (d, n)) + matmul((n, n), (n, d)), 1, 1)


def recurrent_cost(n, d):
    return Cost(n * (matmul((1, d), (d, d)) + matmul((1, d), (d, d))), n, n)


def convolution_cost(n, d, kernel):
    windows, filters = (n, kernel * d), (kernel * d, d)
    layers = 1
    while kernel**layers < n:
        layers += 1
    return Cost(matmul(windows, filters), 1, layers)


def restricted_attention_cost(n, d, size):
    keys = min(n, size)
    one_query = matmul((1, d), (d, keys)) + matmul((1, keys), (keys, d))
    return Cost(n * one_query, 1, (n + size - 1) // size)


def cheaper_than_recurrent(d):
    low, high = 1, 4 * d  # not more at low, more at high
    while high - low > 1:
        middle = (low + high) // 2
        if self_attention_cost(middle, d).multiplications > recurrent_cost(middle, d).multiplications:
            high = middle
        else:
            low = middle
    return low


def weights(module):
    return sum(p.numel() for p in module.parameters())


def transformer_parameters(source_vocab, target_vocab, d_model, num_layers, d_ff):
    encoder = weights(nn.TransformerEncoderLayer(d_model, 1, d_ff))
    decoder = weights(nn.TransformerDecoderLayer(d_model, 1, d_ff))
    shapes = [(source_vocab, d_model), (target_vocab, d_model), (target_vocab, d_model), (target_vocab,)]
    rest = sum(torch.empty(shape, device="meta").numel() for shape in shapes)
    return rest + num_layers * (encoder + decoder)


def attention_memory(batch, heads, n, bytes_per_number=4):
    return torch.empty(batch, heads, n, n, device="meta").numel() * bytes_per_number
