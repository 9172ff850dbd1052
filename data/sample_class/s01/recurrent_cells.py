"""Time comes first inside; the masks of all steps at once; weights by dividing nothing, as matrices of ones and gates."""

import torch
from torch import nn, sigmoid, tanh


class RNNCell(nn.Module):
    def __init__(self, input_dim, hidden_dim):
        super().__init__()
        self.input = nn.Linear(input_dim, hidden_dim)
        self.hidden = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, state):
        return tanh(self.input(x).add(self.hidden(state)))


class LSTMCell(nn.Module):
    def __init__(self, input_dim, hidden_dim):
        super().__init__()
        self.input = nn.Linear(input_dim, 4 * hidden_dim)
        self.hidden = nn.Linear(hidden_dim, 4 * hidden_dim)

    def forward(self, x, state):
        (h, c), d = state, state[0].shape[-1]
        gates = self.input(x) + self.hidden(h)
        i = sigmoid(gates[..., 0 * d : 1 * d])
        f = sigmoid(gates[..., 1 * d : 2 * d])
        g = tanh(gates[..., 2 * d : 3 * d])
        o = sigmoid(gates[..., 3 * d : 4 * d])
        new_c = (f * c) + (i * g)
        new_h = o * tanh(new_c)
        return (new_h, new_c)


class GRUCell(nn.Module):
    def __init__(self, input_dim, hidden_dim):
        super().__init__()
        self.input = nn.Linear(input_dim, 3 * hidden_dim)
        self.hidden = nn.Linear(hidden_dim, 3 * hidden_dim)

    def forward(self, x, state):
        d = state.shape[-1]
        xs, hs = self.input(x), self.hidden(state)
        r = sigmoid(xs[..., :d] + hs[..., :d])
        z = sigmoid(xs[..., d:-d] + hs[..., d:-d])
        n = tanh(xs[..., -d:] + r * hs[..., -d:])
        return (1 - z) * n + z * state


def run(cell, inputs, state, lengths=None):
    steps = inputs.permute(1, 0, 2)  # (T, N, D)
    if lengths is None:
        masks = [None] * len(steps)
    else:
        masks = (torch.arange(len(steps), device=inputs.device)[:, None] < lengths[None]).unsqueeze(-1)
    hs = []
    for x, mask in zip(steps, masks):
        before, state = state, cell(x, state)
        if mask is not None:
            if type(state) is tuple:
                state = (mask * state[0] + ~mask * before[0], mask * state[1] + ~mask * before[1])
            else:
                state = mask * state + ~mask * before
        h = state[0] if type(state) is tuple else state
        hs.append(h if mask is None else h * mask)
    return torch.stack(hs).permute(1, 0, 2).contiguous(), state


def candidate_weights(updates):
    T, d = updates.shape
    eye = torch.eye(T, dtype=updates.dtype, device=updates.device)
    rows, row = [], torch.zeros(T, d, dtype=updates.dtype, device=updates.device)
    for t in range(T):
        row = row * updates[t] + eye[t][:, None] * (1 - updates[t])
        rows += [row]
    return torch.stack(rows, 0)


def gradient_norms(cell, inputs, state):
    cell_state, graph = state, []
    for x in inputs[0]:
        cell_state = cell(x.unsqueeze(0), cell_state)
        graph.append(cell_state)
    goal = graph[-1][0].sum() if type(graph[-1]) is tuple else graph[-1].sum()
    result = []
    for s in graph:
        found = torch.autograd.grad(goal, s, retain_graph=True)
        result.append(torch.sqrt(sum((g**2).sum() for g in found)))
    return torch.stack(result)
