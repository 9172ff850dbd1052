"""Complexity: what does a layer cost?

Before anything is trained one can know what it will cost: how many numbers are multiplied, how many steps must wait for
one another, how far a signal has to travel, how many weights there are to learn, and how much memory they ask for. All
of these are whole numbers, and all of them can be counted by hand.
"""

from typing import NamedTuple


class Cost(NamedTuple):
    """What one layer costs for a sequence of n tokens, each a vector of d numbers."""

    multiplications: int  # products of two numbers
    sequential: int  # steps that have to wait for one another, however many processors there are
    path: int  # steps or layers from the first token to the last, so that one can tell the other something


def self_attention_cost(n: int, d: int) -> Cost:
    """Every position asks every position: the scores and the mixture of the values, without any projections.

    n tokens, d numbers each -> Cost

    >>> self_attention_cost(7, 4)
    Cost(multiplications=392, sequential=1, path=1)
    """
    raise NotImplementedError("self_attention_cost is yours to write")


def recurrent_cost(n: int, d: int) -> Cost:
    """One position after the other: W x + U h, with an input as wide as the state.

    n tokens, d numbers each -> Cost

    >>> recurrent_cost(7, 4)
    Cost(multiplications=224, sequential=7, path=7)
    """
    raise NotImplementedError("recurrent_cost is yours to write")


def convolution_cost(n: int, d: int, kernel: int) -> Cost:
    """One layer mixes `kernel` neighbours, d channels in and out; a stack of them, dilated, joins the whole sentence.

    n tokens, d numbers each, kernel from 2 on -> Cost: multiplications of one layer, path through the stack

    >>> convolution_cost(7, 4, kernel=3)
    Cost(multiplications=336, sequential=1, path=2)
    """
    raise NotImplementedError("convolution_cost is yours to write")


def restricted_attention_cost(n: int, d: int, size: int) -> Cost:
    """Every position asks `size` positions only, or all if there are not so many.

    n tokens, d numbers each, size of the neighbourhood -> Cost

    >>> restricted_attention_cost(7, 4, size=3)
    Cost(multiplications=168, sequential=1, path=3)
    """
    raise NotImplementedError("restricted_attention_cost is yours to write")


def cheaper_than_recurrent(d: int) -> int:
    """The longest sequence for which self-attention takes no more multiplications than a recurrent layer.

    d numbers in each token -> the largest such n

    >>> n = cheaper_than_recurrent(9)
    >>> [self_attention_cost(m, 9).multiplications <= recurrent_cost(m, 9).multiplications for m in (n, n + 1)]
    [True, False]
    """
    raise NotImplementedError("cheaper_than_recurrent is yours to write")


def transformer_parameters(source_vocab: int, target_vocab: int, d_model: int, num_layers: int, d_ff: int) -> int:
    """How many numbers the Transformer of exercise 8 learns.

    sizes of both vocabularies, width, layers in the encoder and as many in the decoder, hidden width -> one number

    >>> transformer_parameters(source_vocab=5, target_vocab=7, d_model=4, num_layers=1, d_ff=6)
    479
    """
    raise NotImplementedError("transformer_parameters is yours to write")


def attention_memory(batch: int, heads: int, n: int, bytes_per_number: int = 4) -> int:
    """The bytes of the attention weights of one layer: (batch, heads, n, n) numbers.

    sequences, heads, tokens, bytes for each number (4 in float32) -> bytes

    >>> attention_memory(batch=2, heads=3, n=5)
    600
    """
    raise NotImplementedError("attention_memory is yours to write")
