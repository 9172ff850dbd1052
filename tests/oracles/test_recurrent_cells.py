"""The solution of `recurrent_cells` beside torch's own cells and layers with the same weights, and beside autograd."""

import importlib.util
import random
from pathlib import Path

import pytest
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

ROOT = Path(__file__).resolve().parents[2]
KINDS = {"RNNCell": (nn.RNNCell, nn.RNN), "LSTMCell": (nn.LSTMCell, nn.LSTM), "GRUCell": (nn.GRUCell, nn.GRU)}
NAMES = {"weight_ih": "input.weight", "bias_ih": "input.bias", "weight_hh": "hidden.weight", "bias_hh": "hidden.bias"}


@pytest.fixture(scope="module")
def solution():
    spec = importlib.util.spec_from_file_location("recurrent_cells", ROOT / "solutions" / "recurrent_cells.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(params=KINDS)
def kind(request):
    torch.manual_seed(1)
    return request.param


@pytest.fixture
def draw():
    return random.Random(1)


def cells(solution, kind, input_dim, hidden_dim, dtype=torch.float64):
    """Our cell, torch's cell and torch's layer, all with the same weights."""
    ours = getattr(solution, kind)(input_dim, hidden_dim).to(dtype)
    weights = ours.state_dict()
    theirs, layer = KINDS[kind]
    theirs, layer = theirs(input_dim, hidden_dim).to(dtype), layer(input_dim, hidden_dim, batch_first=True).to(dtype)
    theirs.load_state_dict({name: weights[own] for name, own in NAMES.items()})
    layer.load_state_dict({f"{name}_l0": weights[own] for name, own in NAMES.items()})
    return ours, theirs, layer


def first_state(kind, batch, hidden_dim, dtype=torch.float64):
    state = torch.randn(2, batch, hidden_dim, dtype=dtype).unbind()
    return state if kind == "LSTMCell" else state[0]


def parts(state):
    return state if isinstance(state, tuple) else (state,)


def test_a_step_as_torch(solution, kind, draw):
    for dtype in (torch.float32, torch.float64):
        for _ in range(100):
            batch, input_dim, hidden_dim = (draw.randint(1, 9) for _ in range(3))
            ours, theirs, _ = cells(solution, kind, input_dim, hidden_dim, dtype)
            x, state = torch.randn(batch, input_dim, dtype=dtype) * 3, first_state(kind, batch, hidden_dim, dtype)
            torch.testing.assert_close(ours(x, state), theirs(x, state))


def test_a_padded_batch_as_torch_packs_it(solution, kind, draw):
    for _ in range(60):
        batch, steps, input_dim, hidden_dim = (draw.randint(1, 7) for _ in range(4))
        ours, _, layer = cells(solution, kind, input_dim, hidden_dim)
        lengths = torch.tensor([draw.randint(1, steps) for _ in range(batch)])
        inputs = torch.randn(batch, steps, input_dim, dtype=torch.float64)
        state = first_state(kind, batch, hidden_dim)
        packed = pack_padded_sequence(inputs, lengths, batch_first=True, enforce_sorted=False)
        first = tuple(part[None] for part in parts(state))
        found, last = layer(packed, first if len(first) > 1 else first[0])
        expected, _ = pad_packed_sequence(found, batch_first=True, total_length=steps)
        outputs, end = solution.run(ours, inputs, state, lengths)
        torch.testing.assert_close(outputs, expected)
        torch.testing.assert_close(parts(end), tuple(part[0] for part in parts(last)))


def test_norms_as_autograd_finds_them(solution, kind, draw):
    for _ in range(30):
        steps, input_dim, hidden_dim = (draw.randint(1, 7) for _ in range(3))
        ours, theirs, _ = cells(solution, kind, input_dim, hidden_dim)
        inputs, now = torch.randn(1, steps, input_dim, dtype=torch.float64), first_state(kind, 1, hidden_dim)
        norms = solution.gradient_norms(ours, inputs, now)
        for t in range(steps):
            now = tuple(part.detach().requires_grad_() for part in parts(theirs(inputs[:, t], now)))
            end = now = now if kind == "LSTMCell" else now[0]
            for later in range(t + 1, steps):
                end = theirs(inputs[:, later], end)
            total = parts(end)[0].sum()
            found = torch.autograd.grad(total, parts(now), allow_unused=True, materialize_grads=True)
            torch.testing.assert_close(norms[t], torch.cat(found).norm())


def test_weights_unroll_what_torch_computes(solution, draw):
    """Gates and candidates of a real GRU: its states are mixtures of the candidates with our weights."""
    torch.manual_seed(1)
    for _ in range(60):
        steps, input_dim, hidden_dim = (draw.randint(1, 9) for _ in range(3))
        ours, theirs, _ = cells(solution, "GRUCell", input_dim, hidden_dim)
        inputs, first = torch.randn(steps, input_dim, dtype=torch.float64), first_state("GRUCell", 1, hidden_dim)
        updates, candidates, states = [], [], [first]
        with torch.no_grad():
            for x in inputs.split(1):
                (_, z_x, _), (_, z_h, _) = ours.input(x).chunk(3, 1), ours.hidden(states[-1]).chunk(3, 1)
                u, new = (z_x + z_h).sigmoid(), theirs(x, states[-1])
                updates.append(u)
                candidates.append((new - u * states[-1]) / (1 - u))  # what must have been written
                states.append(new)
        updates, candidates = torch.cat(updates), torch.cat(candidates)
        weights = solution.candidate_weights(updates)
        unrolled = updates.cumprod(0) * first + (weights * candidates).sum(dim=1)
        torch.testing.assert_close(unrolled, torch.cat(states[1:]))
