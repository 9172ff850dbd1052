"""A dictionary of named shapes, as state_dict() would show them; wrong arguments are refused."""

from math import prod
from typing import NamedTuple


class Cost(NamedTuple):
    multiplications: int
    sequential: int
    path: int


def positive(**sizes):
    for name, value in sizes.items():
        if value < 1:
            raise ValueError(f"{name} must be at least 1, not {value}")


def self_attention_cost(n, d):
    positive(n=n, d=d)
    return Cost(multiplications=n * n * d + n * n * d, sequential=1, path=1)


def recurrent_cost(n, d):
    positive(n=n, d=d)
    return Cost(path=n, sequential=n, multiplications=n * (d + d) * d)


def convolution_cost(n, d, kernel):
    positive(n=n, d=d)
    if kernel < 2:
        raise ValueError("kernel must be at least 2")
    path = 0
    power = 1
    while True:
        path += 1
        power *= kernel
        if power >= n:
            return Cost(multiplications=n * d * d * kernel, sequential=1, path=path)


def restricted_attention_cost(n, d, size):
    positive(n=n, d=d, size=size)
    if size >= n:
        return self_attention_cost(n, d)
    return Cost(multiplications=2 * size * n * d, sequential=1, path=1 + (n - 1) // size)


def cheaper_than_recurrent(d):
    positive(d=d)
    return max(n for n in range(1, 2 * d + 1) if n * n * d <= n * d * d)


def layer(prefix, attentions, d_model, d_ff):
    shapes = {}
    for attention in attentions:
        for projection in ("q_proj", "k_proj", "v_proj", "out_proj"):
            shapes[f"{prefix}.{attention}.{projection}.weight"] = (d_model, d_model)
            shapes[f"{prefix}.{attention}.{projection}.bias"] = (d_model,)
    shapes[f"{prefix}.linear1.weight"], shapes[f"{prefix}.linear1.bias"] = (d_ff, d_model), (d_ff,)
    shapes[f"{prefix}.linear2.weight"], shapes[f"{prefix}.linear2.bias"] = (d_model, d_ff), (d_model,)
    for number in range(len(attentions) + 1):
        shapes[f"{prefix}.norm{number + 1}.weight"] = shapes[f"{prefix}.norm{number + 1}.bias"] = (d_model,)
    return shapes


def transformer_parameters(source_vocab, target_vocab, d_model, num_layers, d_ff):
    shapes = {
        "source_embedding.weight": (source_vocab, d_model),
        "target_embedding.weight": (target_vocab, d_model),
        "output.weight": (target_vocab, d_model),
        "output.bias": (target_vocab,),
    }
    for number in range(num_layers):
        shapes |= layer(f"encoder_layers.{number}", ["self_attention"], d_model, d_ff)
        shapes |= layer(f"decoder_layers.{number}", ["self_attention", "cross_attention"], d_model, d_ff)
    return sum(map(prod, shapes.values()))


def attention_memory(batch, heads, n, bytes_per_number=4):
    positive(batch=batch, heads=heads, n=n, bytes_per_number=bytes_per_number)
    return prod([batch, heads, n, n]) * bytes_per_number
