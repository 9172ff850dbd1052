"""Public tests of `recurrent_cells`. Run them with `pytest exercises/recurrent_cells` or
`grader check recurrent_cells`; the hidden ones ask for more."""

import math

import torch
from torch import nn

from grader.judge import assert_close, criterion

LOG3 = math.log(3)  # gates of -LOG3, 0 and LOG3 are open by 1/4, 1/2 and 3/4; tanh(LOG3) is 0.8
GATES = {"RNNCell": 1, "LSTMCell": 4, "GRUCell": 3}
OF_TORCH = {"RNNCell": nn.RNNCell, "LSTMCell": nn.LSTMCell, "GRUCell": nn.GRUCell}


def draw_weights(kind, input_dim, hidden_dim):
    """Weights for a cell of this kind, with biases that are not 0."""
    rows = GATES[kind] * hidden_dim
    shapes = {"input.weight": (rows, input_dim), "input.bias": (rows,)}
    shapes |= {"hidden.weight": (rows, hidden_dim), "hidden.bias": (rows,)}
    return {name: torch.randn(shape) * 0.7 for name, shape in shapes.items()}


def biases_only(kind, input_dim, hidden_dim, of_input, of_hidden):
    """Weights of 0, and a bias for each gate: what the cell computes can be worked out by hand."""
    weights = {name: torch.zeros_like(weight) for name, weight in draw_weights(kind, input_dim, hidden_dim).items()}
    weights["input.bias"] += torch.tensor(of_input).repeat_interleave(hidden_dim)
    weights["hidden.bias"] += torch.tensor(of_hidden).repeat_interleave(hidden_dim)
    return weights


def cell_with(student, kind, weights):
    """The student's cell with these weights."""
    cell = getattr(student, kind)(weights["input.weight"].shape[1], weights["hidden.weight"].shape[1])
    cell.load_state_dict(weights)
    return cell


def torch_cell(kind, weights):
    """The cell that torch has, with these weights."""
    cell = OF_TORCH[kind](weights["input.weight"].shape[1], weights["hidden.weight"].shape[1])
    names = {
        "weight_ih": "input.weight",
        "bias_ih": "input.bias",
        "weight_hh": "hidden.weight",
        "bias_hh": "hidden.bias",
    }
    cell.load_state_dict({name: weights[ours] for name, ours in names.items()})
    return cell.requires_grad_(False)


def check_beside_torch(student, kind, *sizes):
    """One step of a batch, beside torch's cell with the same weights."""
    for batch, input_dim, hidden_dim in sizes:
        weights = draw_weights(kind, input_dim, hidden_dim)
        x, h, c = torch.randn(batch, input_dim), torch.randn(batch, hidden_dim), torch.randn(batch, hidden_dim)
        state = (h, c) if kind == "LSTMCell" else h
        expected = torch_cell(kind, weights)(x, state)
        what = f"{kind}({input_dim}, {hidden_dim}) of x ({batch}, {input_dim})"
        found = cell_with(student, kind, weights)(x, state)
        assert_close(pair(found, what) if kind == "LSTMCell" else found, expected, what)


def pair(found, what):
    """The two things that were returned, as a tuple."""
    assert isinstance(found, tuple | list) and len(found) == 2, f"{what} must return two things"
    return tuple(found)


@criterion(
    "A plain memory",
    points=2,
    kind="value",
    question="What of the old state is in the new one?",
    hint="Two linear layers, one for the input and one for the old state; their sum goes through one tanh.",
    step="Return torch.tanh(self.input(x) + self.hidden(state)).",
)
def test_plain_memory(student):
    """RNNCell computes tanh(Wx + Uh + b), as torch's own cell with the same weights does."""
    names = "input.weight", "input.bias", "hidden.weight", "hidden.bias"
    weights = dict(zip(names, map(torch.tensor, ([[1.0, 2.0]], [0.25], [[0.5]], [0.25])), strict=True))
    found = cell_with(student, "RNNCell", weights)(
        torch.tensor([[1.0, -0.5], [0.0, 0.0]]), torch.tensor([[1.0], [-1.0]])
    )
    assert_close(found, torch.tensor([[math.tanh(1.0)], [0.0]]), "the RNNCell of the handout")
    check_beside_torch(student, "RNNCell", (3, 5, 2), (5, 2, 7))


@criterion(
    "Four gates in order",
    points=2,
    kind="value",
    question="Which of the four parts may be negative?",
    hint="The 4h numbers are i, f, g, o in this order. Three are gates, with a sigmoid; g is content, with a tanh.",
    step="With (input + hidden).chunk(4, dim=1): the new c is σ(f)·c + σ(i)·tanh(g), the new h is σ(o)·tanh(new c).",
)
def test_four_gates(student):
    """LSTMCell keeps f of the old c, adds i of the candidate, and shows o of tanh(c): first by hand, then torch's."""
    weights = biases_only("LSTMCell", 3, 2, [0.0, LOG3, LOG3, 0.0], [0.0, 0.0, 0.0, -LOG3])
    h, c = torch.tensor([[1.0, -1.0]]), torch.tensor([[2.0, -2.0]])
    what = "the LSTMCell of the handout"
    found = pair(cell_with(student, "LSTMCell", weights)(torch.ones(1, 3), (h, c)), what)
    new_c = torch.tensor([[1.9, -1.1]])  # 3/4 · 2 + 1/2 · 0.8, and 3/4 · (-2) + 1/2 · 0.8
    assert_close(found, (new_c.tanh() / 4, new_c), what)
    check_beside_torch(student, "LSTMCell", (3, 5, 2), (5, 2, 7))


@criterion(
    "Keep or replace",
    points=2,
    kind="value",
    question="If the update gate is wide open, z = 1: does the old state stay, or is it replaced?",
    hint="Here z is the share of the old state, and the reset gate is on all that comes from the state: (U_n h + b_n).",
    step="n = tanh(n_x + r·n_h), where n_h is the last third of self.hidden(state); return z·state + (1 - z)·n.",
)
def test_keep_or_replace(student):
    """GRUCell keeps z of the old state and takes the rest from the candidate: first by hand, then torch's."""
    weights = biases_only("GRUCell", 3, 2, [0.0, LOG3, 0.0], [-LOG3, 0.0, 2 * LOG3])
    found = cell_with(student, "GRUCell", weights)(torch.ones(1, 3), torch.tensor([[2.0, -2.0]]))
    expected = torch.tensor([[1.625, -1.375]])  # 3/4 · 2 + 1/4 · 1/2, and 3/4 · (-2) + 1/4 · 1/2
    assert_close(found, expected, "the GRUCell of the handout")
    check_beside_torch(student, "GRUCell", (3, 5, 2), (5, 2, 7))


def run_alone(cell, inputs, state, lengths):
    """Each sequence by itself, without its padding, one step after the other: outputs (N, T, H), states (N, H)."""
    outputs, states = torch.zeros(*inputs.shape[:2], state.shape[1]), state.clone()
    for n, length in enumerate(lengths):
        for t in range(length):
            states[n] = cell(inputs[n : n + 1, t], states[n : n + 1])[0]
            outputs[n, t] = states[n]
    return outputs, states


@criterion(
    "Each row to its end",
    points=2,
    kind="value",
    question="A short row stands beside a long one. What happens to its state in the steps that only the long one has?",
    hint="Compute the step for all rows, and keep the new state only where t < lengths; elsewhere the old one stays.",
    step="torch.where((t < lengths)[:, None], new, old) for the state; the output of step t is that state, or 0 past "
    "the end. Stack the outputs along dim=1.",
)
def test_each_row(student):
    """Outputs are h after each step. Past its length a row's output is 0, and its state is the one it ended with."""
    inputs, state = torch.randn(3, 5, 2), torch.randn(3, 4)
    for kind in ("RNNCell", "GRUCell"):
        weights = draw_weights(kind, 2, 4)
        cell = cell_with(student, kind, weights)
        for given in ([5, 5, 5], [2, 5, 3]):
            # Whoever has a mistake in a cell loses nothing here: the steps of the cell that there is are right too.
            lengths = () if min(given) == 5 else (torch.tensor(given),)
            what = f"run of a {kind}, T = 5" + (f", lengths {given}" if lengths else "")
            found = pair(student.run(cell, inputs, state, *lengths), what)
            expected = run_alone(torch_cell(kind, weights), inputs, state, given)
            if not all(map(close, found, expected)):
                own = run_alone(cell, inputs, state, given)
                expected = own if own[1].std() > 0.1 else expected
            assert_close(found, expected, what)


def close(found, expected):
    return (
        isinstance(found, torch.Tensor)
        and found.shape == expected.shape
        and torch.allclose(found, expected, 1e-3, 1e-4)
    )


@criterion(
    "What is left of each candidate",
    points=2,
    kind="value",
    question="Candidate 1 went into the state at step 1. What happens to its share at step 2, and at step 3?",
    hint="It enters with the share 1 - u_i. At each later step all that is in the state is multiplied by the new u.",
    step="Row t is row t-1 times u_t, with 1 - u_t in column t. Build the rows one after the other, and stack them.",
)
def test_left_of_candidates(student):
    """The table of the handout, and another one: w[t, i] = (1 - u_i) · u_{i+1} · … · u_t, and 0 for i > t."""
    tables = {
        (0.9, 0.5, 0.2): [[0.1, 0.0, 0.0], [0.05, 0.5, 0.0], [0.01, 0.1, 0.8]],
        (0.5, 0.8, 0.4, 0.6): [
            [0.5, 0.0, 0.0, 0.0],
            [0.4, 0.2, 0.0, 0.0],
            [0.16, 0.08, 0.6, 0.0],
            [0.096, 0.048, 0.36, 0.4],
        ],
    }
    for updates, table in tables.items():
        found = student.candidate_weights(torch.tensor(updates)[:, None])
        what = f"candidate_weights of the updates {list(updates)}, (T, 1)"
        assert_close(found, torch.tensor(table)[:, :, None], what)


def slopes(cell, inputs, state):
    """The norms by trying: after each step each number of the state is moved a little, and Σ h_T is looked at."""
    steps, size, little = inputs.shape[1], state.shape[1], 1e-5
    h = state.expand(2 * steps * size, -1)  # a row for each number after each step, moved up, and one moved down
    moves = torch.cat([torch.eye(steps * size), -torch.eye(steps * size)]).double() * little
    for t, move in enumerate(moves.view(-1, steps, size).unbind(dim=1)):
        h = cell(inputs[:, t].expand(len(h), -1), h) + move
    up, down = h.sum(dim=1).chunk(2)
    return ((up - down) / (2 * little)).view(steps, size).norm(dim=1)


@criterion(
    "How far back a gradient reaches",
    points=2,
    kind="value",
    question="By how much does the last state change if you change itself by a little?",
    hint="For t = T the gradient of Σ h_T is all ones. Go back from there, one step at a time: the chain rule.",
    step="Cut the graph before each step: before = state.detach().requires_grad_(), after = cell(x, before). Then from "
    "the last step to the second: gradient = torch.autograd.grad(after, before, gradient).",
)
def test_how_far_back(student):
    """The norm of ∂(Σ h_T)/∂h_t for each t, first where each step halves the state, then for any weights."""
    halving = cell_with(student, "GRUCell", biases_only("GRUCell", 2, 4, [0.0] * 3, [0.0] * 3)).double()
    own = [halving, torch.zeros(1, 3, 2, dtype=torch.float64), torch.zeros(1, 4, dtype=torch.float64)]
    questions = [(own, torch.tensor([0.5, 1.0, 2.0]).double(), "the halving GRUCell of the handout")]
    for kind in ("RNNCell", "GRUCell"):
        weights = draw_weights(kind, 2, 3)
        cell = cell_with(student, kind, weights).double()
        inputs, state = torch.randn(1, 5, 2).double(), torch.randn(1, 3).double()
        expected = slopes(torch_cell(kind, weights).double(), inputs, state)
        questions.append(([cell, inputs, state], expected, f"a {kind} with T = 5"))
    for (cell, inputs, state), expected, what in questions:
        found = student.gradient_norms(cell, inputs, state)
        found = found.double() if isinstance(found, torch.Tensor) else found
        if not close(found, expected):
            own = slopes(cell, inputs, state)  # of the cell that there is
            expected = own if (own > 0.01).sum() > 1 and own.std() > 0.01 else expected
        assert_close(found, expected, f"gradient_norms of {what}", rtol=1e-4, atol=1e-6)
