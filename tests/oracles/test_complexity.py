"""The counts of `complexity` beside torch's own: its flop counter on real layers, and a real model's parameters."""

import importlib
import random
import sys
from pathlib import Path

import pytest
import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

SOLUTIONS = Path(__file__).resolve().parents[2] / "solutions"


@pytest.fixture(scope="module")
def solution():
    """Imports a solution, and those that it builds on, as a student's files would be imported."""
    before, sys.path = sys.path, [str(SOLUTIONS), *sys.path]
    known = set(sys.modules)
    yield importlib.import_module
    sys.path = before
    for name in set(sys.modules) - known:
        if getattr(sys.modules[name], "__file__", None) and Path(sys.modules[name].__file__).parent == SOLUTIONS:
            del sys.modules[name]


@pytest.fixture(scope="module")
def complexity(solution):
    return solution("complexity")


@pytest.fixture
def draw():
    return random.Random(6)


def multiplications(run):
    """What torch counts while it runs; it counts an addition for each multiplication."""
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        run()
    assert counter.get_total_flops() % 2 == 0
    return counter.get_total_flops() // 2


def test_self_attention_is_that_of_exercise_4_whatever_the_number_of_heads(complexity, solution, draw):
    attend = solution("multihead_attention").scaled_dot_product_attention
    for _ in range(8):
        n, heads, width = (draw.randint(1, 9) for _ in range(3))
        q, k, v = torch.randn(3, 1, heads, n, width)
        found = complexity.self_attention_cost(n, heads * width)
        assert found == (multiplications(lambda q=q, k=k, v=v: attend(q, k, v)), 1, 1)


def test_projections_are_what_the_table_leaves_out(complexity, solution):
    n, d = 7, 12
    attention = solution("multihead_attention").MultiHeadAttention(d, 3)
    x = torch.randn(1, n, d)
    assert multiplications(lambda: attention(x, x, x)) == complexity.self_attention_cost(n, d)[0] + 4 * n * d * d


def test_a_recurrent_layer_is_torchs(complexity, draw):
    for _ in range(8):
        n, d = draw.randint(1, 9), draw.randint(1, 9)
        layer, x = nn.RNN(d, d), torch.randn(n, 1, d)
        assert complexity.recurrent_cost(n, d).multiplications == multiplications(lambda layer=layer, x=x: layer(x))


def test_a_convolution_is_torchs(complexity, draw):
    for _ in range(8):
        n, d, kernel = draw.randint(1, 9), draw.randint(1, 7), draw.randint(2, 6)
        layer, x = nn.Conv1d(d, d, kernel), torch.randn(1, d, n + kernel - 1)
        found = complexity.convolution_cost(n, d, kernel)
        assert found.multiplications == multiplications(lambda layer=layer, x=x: layer(x))


def test_the_path_is_where_a_gradient_first_arrives_in_a_dilated_stack(complexity):
    longest = 130
    for kernel in (2, 3, 4, 5, 11):
        x = torch.ones(1, 1, longest, requires_grad=True)
        out, reaches = x, [0]
        while reaches[-1] < longest:  # how many tokens the last one hears after each layer
            gap = kernel ** (len(reaches) - 1)
            padded = nn.functional.pad(out, ((kernel - 1) * gap, 0))
            out = nn.functional.conv1d(padded, torch.ones(1, 1, kernel), dilation=gap)
            (gradient,) = torch.autograd.grad(out[0, 0, -1], x, retain_graph=True)
            reaches.append(int((gradient != 0).sum()))
            assert gradient[0, 0, -reaches[-1] :].all()  # and none is left out
        for n in range(1, longest + 1):
            layers = next(layers for layers, reach in enumerate(reaches) if layers and reach >= n)
            assert complexity.convolution_cost(n, 1, kernel).path == layers, (n, kernel)


def test_restricted_attention_is_attention_over_the_keys_that_are_asked(complexity, solution, draw):
    attend = solution("multihead_attention").scaled_dot_product_attention
    for _ in range(8):
        n, d, size = draw.randint(1, 9), draw.randint(1, 9), draw.randint(1, 12)
        q, k, v = torch.randn(n, 1, 1, d), *torch.randn(2, n, 1, min(size, n), d)  # a batch of one query each
        found = complexity.restricted_attention_cost(n, d, size)
        assert found.multiplications == multiplications(lambda q=q, k=k, v=v: attend(q, k, v))
        assert found.path == len(torch.arange(n).split(size))


def test_self_attention_is_cheaper_up_to_the_length_that_is_named(complexity):
    for d in range(1, 6):
        layer = nn.RNN(d, d)

        def cheaper(n, d=d, layer=layer):
            q, k, v = torch.randn(3, 1, n, d)
            asking = multiplications(lambda: (q @ k.transpose(1, 2)).softmax(dim=-1) @ v)
            return asking <= multiplications(lambda: layer(torch.randn(n, 1, d)))

        assert max(n for n in range(1, 2 * d + 2) if cheaper(n)) == complexity.cheaper_than_recurrent(d)


def test_parameters_are_those_of_the_real_transformer_with_any_number_of_heads(complexity, solution, draw):
    transformer = solution("transformer").Transformer
    for _ in range(30):
        heads = draw.randint(1, 4)
        sizes = (
            draw.randint(1, 40),
            draw.randint(1, 40),
            heads * draw.randint(1, 9),
            draw.randint(0, 3),
            draw.randint(1, 40),
        )
        source, target, d_model, num_layers, d_ff = sizes
        model = transformer(source, target, d_model, heads, num_layers, d_ff)
        assert complexity.transformer_parameters(*sizes) == sum(p.numel() for p in model.parameters()), (sizes, heads)
    assert complexity.transformer_parameters(300, 200, 64, 2, 128) == sum(
        p.numel() for p in transformer(300, 200).parameters()
    )


def test_memory_is_that_of_the_weights_of_exercise_4(complexity, solution, draw):
    for dtype in (torch.float16, torch.float32, torch.float64):
        batch, heads, n = (draw.randint(1, 7) for _ in range(3))
        attention = solution("multihead_attention").MultiHeadAttention(2 * heads, heads).to(dtype)
        x = torch.randn(batch, n, 2 * heads, dtype=dtype)
        _, weights = attention(x, x, x)
        found = complexity.attention_memory(batch, heads, n, dtype.itemsize)
        assert found == weights.untyped_storage().nbytes() == weights.numel() * weights.element_size()
