"""The path is the number of digits of n - 1 in base `kernel`; the crossing is searched for, n after n."""

from typing import NamedTuple


class Cost(NamedTuple):
    multiplications: int
    sequential: int
    path: int


def self_attention_cost(n, d):
    return restricted_attention_cost(n, d, n)


def recurrent_cost(n, d):
    return Cost(2 * n * d ** 2, n, n)


def convolution_cost(n, d, kernel):
    digits, rest = 1, (n - 1) // kernel
    while rest:
        digits += 1
        rest //= kernel
    return Cost(kernel * n * d ** 2, 1, digits)


def restricted_attention_cost(n, d, size):
    whole, rest = divmod(n, size)
    asked = size if size < n else n
    return Cost(2 * asked * n * d, 1, whole + (rest > 0))


def cheaper_than_recurrent(d):
    n = 1
    while self_attention_cost(n + 1, d).multiplications <= recurrent_cost(n + 1, d).multiplications:
        n += 1
    return n


def transformer_parameters(source_vocab, target_vocab, d_model, num_layers, d_ff):
    total = source_vocab * d_model + target_vocab * d_model + target_vocab * d_model + target_vocab
    for _ in range(num_layers):
        for attentions in (1, 2):  # of the encoder, of the decoder
            total += attentions * 4 * (d_model * d_model + d_model)
            total += d_model * d_ff + d_ff + d_ff * d_model + d_model
            total += (attentions + 1) * 2 * d_model
    return total


def attention_memory(batch, heads, n, bytes_per_number=4):
    return bytes_per_number * batch * heads * n ** 2
