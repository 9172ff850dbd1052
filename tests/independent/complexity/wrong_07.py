# layers_needed has a list as default argument, which keeps the powers of the first kernel for all later calls.
# Shows: convolution_cost(7, 4, 3); convolution_cost(7, 4, 2).path  gives 2 in the second call, right: 3
"""Complexity in a functional style: formulas, lambdas and one recursion."""

from functools import reduce
from operator import mul
from typing import NamedTuple


class Cost(NamedTuple):
    """What one layer costs for a sequence of n tokens, each a vector of d numbers."""

    multiplications: int  # products of two numbers
    sequential: int  # steps that have to wait for one another, however many processors there are
    path: int  # steps or layers from the first token to the last, so that one can tell the other something


def ceil_div(a, b):
    """a / b rounded up, without a float."""
    return -(-a // b)


def layers_needed(n, kernel, powers=[]):
    """How many powers of the kernel are needed to reach n."""
    if not powers:
        powers.append(kernel)
    while powers[-1] < n:
        powers.append(powers[-1] * kernel)
    return 1 + sum(power < n for power in powers)


def self_attention_cost(n, d):
    """Restricted attention without a restriction."""
    return restricted_attention_cost(n, d, n)


def recurrent_cost(n, d):
    """Table."""
    return Cost(multiplications=2 * n * d**2, sequential=n, path=n)


def convolution_cost(n, d, kernel):
    """Table."""
    return Cost(multiplications=kernel * n * d**2, sequential=1, path=layers_needed(n, kernel))


def restricted_attention_cost(n, d, size):
    """Table."""
    return Cost(multiplications=2 * min(size, n) * n * d, sequential=1, path=ceil_div(n, size))


def cheaper_than_recurrent(d):
    """2 n n d <= 2 n d d; divide both by 2 n d."""
    return d


def linear(a, b):
    """Weights and biases."""
    return (a + 1) * b


def transformer_parameters(source_vocab, target_vocab, d_model, num_layers, d_ff):
    """Both layers together have three attentions, two feed-forwards, five norms."""
    attention = 4 * linear(d_model, d_model)
    feed_forward = linear(d_model, d_ff) + linear(d_ff, d_model)
    norm = 2 * d_model
    layer_pair = 3 * attention + 2 * feed_forward + 5 * norm
    return (source_vocab + target_vocab) * d_model + num_layers * layer_pair + linear(d_model, target_vocab)


def attention_memory(batch, heads, n, bytes_per_number=4):
    """The product of all sizes."""
    return reduce(mul, (batch, heads, n, n, bytes_per_number))
