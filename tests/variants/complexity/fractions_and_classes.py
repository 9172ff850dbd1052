"""One class for each kind of layer, exact fractions where something is divided, and bools as the numbers they are."""

import math
from fractions import Fraction
from itertools import accumulate, count, repeat, takewhile
from operator import mul
from typing import NamedTuple


class Cost(NamedTuple):
    multiplications: int
    sequential: int
    path: int


class Layer:
    def __init__(self, n, d):
        self.n, self.d = n, d

    @property
    def cost(self):
        return Cost(self.n * self.each(), self.steps(), self.path())

    def steps(self):
        return self.n > 0  # True is 1


class Asking(Layer):
    def __init__(self, n, d, keys):
        super().__init__(n, d)
        self.keys = keys

    def each(self):
        return 2 * self.d * sorted([self.keys, self.n])[0]

    def path(self):
        return math.ceil(Fraction(self.n, self.keys))


class Recurrent(Layer):
    def each(self):
        return self.d * self.d * 2

    def steps(self):
        return self.n

    path = steps


class Convolution(Layer):
    def __init__(self, n, d, kernel):
        super().__init__(n, d)
        self.kernel = kernel

    def each(self):
        return self.kernel * self.d**2

    def path(self):
        reaches = accumulate(repeat(self.kernel), mul)
        return 1 + sum(1 for _ in takewhile(lambda reach: reach < self.n, reaches))


def self_attention_cost(n, d):
    return Asking(n, d, n).cost


def recurrent_cost(n, d):
    return Recurrent(n, d).cost


def convolution_cost(n, d, kernel):
    return Convolution(n, d, kernel).cost


def restricted_attention_cost(n, d, size):
    return Asking(n, d, size).cost


def cheaper_than_recurrent(d):
    first_dearer = next(n for n in count(1) if Asking(n, d, n).each() > Recurrent(n, d).each())
    return first_dearer - 1


class Linear:
    def __init__(self, inputs, outputs):
        self.weights = (inputs + 1) * outputs


def transformer_parameters(source_vocab, target_vocab, d_model, num_layers, d_ff):
    square, up, down = Linear(d_model, d_model), Linear(d_model, d_ff), Linear(d_ff, d_model)
    parts = [square] * 4 + [up, down] + [square] * 8 + [up, down]
    norms = 5 * (d_model + d_model)
    stack = num_layers * (norms + sum(part.weights for part in parts))
    words = d_model * (source_vocab + target_vocab)
    return sum((words, stack, Linear(d_model, target_vocab).weights))


def attention_memory(batch, heads, n, bytes_per_number=4):
    table = n**2
    return math.prod((batch, heads, table, bytes_per_number))
