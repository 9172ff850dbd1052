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


### BEGIN SOLUTION
def ceil_div(whole: int, part: int) -> int:
    """How many parts cover the whole: the quotient, rounded up without ever being a float.

    >>> ceil_div(6, 3), ceil_div(7, 3)
    (2, 3)
    """
    return -(-whole // part)


def matmul(rows: int, inner: int, columns: int) -> int:
    """The multiplications of (rows, inner) times (inner, columns): one for each row, inner index and column."""
    return rows * inner * columns


### END SOLUTION


def self_attention_cost(n: int, d: int) -> Cost:
    """Every position asks every position: the scores and the mixture of the values, without any projections.

    n tokens, d numbers each -> Cost

    >>> self_attention_cost(7, 4)
    Cost(multiplications=392, sequential=1, path=1)
    """
    ### BEGIN SOLUTION
    scores = matmul(n, d, n)  # queries (n, d) times keys (d, n)
    mixture = matmul(n, n, d)  # weights (n, n) times values (n, d)
    return Cost(scores + mixture, sequential=1, path=1)
    ### END SOLUTION


def recurrent_cost(n: int, d: int) -> Cost:
    """One position after the other: W x + U h, with an input as wide as the state.

    n tokens, d numbers each -> Cost

    >>> recurrent_cost(7, 4)
    Cost(multiplications=224, sequential=7, path=7)
    """
    ### BEGIN SOLUTION
    step = matmul(d, d, 1) + matmul(d, d, 1)  # W (d, d) times x, and U (d, d) times h
    return Cost(n * step, sequential=n, path=n)
    ### END SOLUTION


def convolution_cost(n: int, d: int, kernel: int) -> Cost:
    """One layer mixes `kernel` neighbours, d channels in and out; a stack of them, dilated, joins the whole sentence.

    n tokens, d numbers each, kernel from 2 on -> Cost: multiplications of one layer, path through the stack

    >>> convolution_cost(7, 4, kernel=3)
    Cost(multiplications=336, sequential=1, path=2)
    """
    ### BEGIN SOLUTION
    if kernel < 2 <= n:
        raise ValueError(f"kernel must be at least 2: with {kernel} no position ever hears of another")
    layers, reach = 1, kernel  # one layer sees `kernel` tokens, and each further one `kernel` times as many
    while reach < n:
        layers, reach = layers + 1, reach * kernel
    return Cost(n * matmul(d, kernel * d, 1), sequential=1, path=layers)
    ### END SOLUTION


def restricted_attention_cost(n: int, d: int, size: int) -> Cost:
    """Every position asks `size` positions only, or all if there are not so many.

    n tokens, d numbers each, size of the neighbourhood -> Cost

    >>> restricted_attention_cost(7, 4, size=3)
    Cost(multiplications=168, sequential=1, path=3)
    """
    ### BEGIN SOLUTION
    keys = min(size, n)
    scores = n * matmul(1, d, keys)  # a query (1, d) times its own keys (d, keys)
    mixture = n * matmul(1, keys, d)
    return Cost(scores + mixture, sequential=1, path=ceil_div(n, size))
    ### END SOLUTION


def cheaper_than_recurrent(d: int) -> int:
    """The longest sequence for which self-attention takes no more multiplications than a recurrent layer.

    d numbers in each token -> the largest such n

    >>> n = cheaper_than_recurrent(9)
    >>> [self_attention_cost(m, 9).multiplications <= recurrent_cost(m, 9).multiplications for m in (n, n + 1)]
    [True, False]
    """
    ### BEGIN SOLUTION
    return d  # 2 n² d <= 2 n d²: divide both sides by 2 n d
    ### END SOLUTION


### BEGIN SOLUTION
def linear(inputs: int, outputs: int) -> int:
    """The parameters of nn.Linear: a weight for each pair, and a bias for each output."""
    return inputs * outputs + outputs


### END SOLUTION


def transformer_parameters(source_vocab: int, target_vocab: int, d_model: int, num_layers: int, d_ff: int) -> int:
    """How many numbers the Transformer of exercise 8 learns.

    sizes of both vocabularies, width, layers in the encoder and as many in the decoder, hidden width -> one number

    >>> transformer_parameters(source_vocab=5, target_vocab=7, d_model=4, num_layers=1, d_ff=6)
    479
    """
    ### BEGIN SOLUTION
    attention = 4 * linear(d_model, d_model)  # queries, keys, values, output: heads share them out, and add nothing
    feed_forward = linear(d_model, d_ff) + linear(d_ff, d_model)
    norm = 2 * d_model  # a factor and a shift for each feature
    encoder_layer = attention + feed_forward + 2 * norm
    decoder_layer = 2 * attention + feed_forward + 3 * norm
    embeddings = source_vocab * d_model + target_vocab * d_model  # positions are computed, so they cost nothing
    output = linear(d_model, target_vocab)  # it shares nothing with the embeddings
    return embeddings + num_layers * (encoder_layer + decoder_layer) + output
    ### END SOLUTION


def attention_memory(batch: int, heads: int, n: int, bytes_per_number: int = 4) -> int:
    """The bytes of the attention weights of one layer: (batch, heads, n, n) numbers.

    sequences, heads, tokens, bytes for each number (4 in float32) -> bytes

    >>> attention_memory(batch=2, heads=3, n=5)
    600
    """
    ### BEGIN SOLUTION
    return batch * heads * n * n * bytes_per_number
    ### END SOLUTION
