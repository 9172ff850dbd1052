"""The logarithm is guessed by a float and then corrected in whole numbers; a lambda serves two kinds of attention."""

import math
from collections import namedtuple

Cost = namedtuple("Cost", "multiplications sequential path")

asked = lambda n, d, keys: 2 * n * d * min(keys, n)


def self_attention_cost(n, d):
    return Cost(asked(n, d, n), 1, 1)


def restricted_attention_cost(n, d, size):
    return Cost(asked(n, d, size), 1, (n - 1) // size + 1)


def recurrent_cost(n, d):
    return Cost(sum([n * d * d] * 2), n, n)


def convolution_cost(n, d, kernel):
    guess = max(1, round(math.log(n) / math.log(kernel)))
    while kernel**guess < n:
        guess += 1
    while guess > 1 and kernel ** (guess - 1) >= n:
        guess -= 1
    return Cost(kernel * d * n * d, 1, guess)


def cheaper_than_recurrent(d):
    dearer = lambda n: asked(n, d, n) > 2 * n * d * d
    step, n = 1 << d.bit_length(), 0
    while step:
        if not dearer(n + step):
            n += step
        step >>= 1
    return n


def transformer_parameters(source_vocab, target_vocab, d_model, num_layers, d_ff):
    D, F, V, W, L = d_model, d_ff, source_vocab, target_vocab, num_layers
    return V * D + W * D + L * (12 * (D * D + D) + 2 * (2 * D * F + F + D) + 10 * D) + D * W + W


def attention_memory(batch, heads, n, bytes_per_number=4):
    numbers = n * n * heads
    return numbers * bytes_per_number * batch
