"""Recurrent cells, straightforward: torch.where and loops, gradients from autograd's own graph."""

import torch
from torch import nn


class RNNCell(nn.Module):
    def __init__(self, input_dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.input = nn.Linear(input_dim, hidden_dim)
        self.hidden = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, state):
        return torch.tanh(self.input(x) + self.hidden(state))


class LSTMCell(nn.Module):
    def __init__(self, input_dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.input = nn.Linear(input_dim, 4 * hidden_dim)
        self.hidden = nn.Linear(hidden_dim, 4 * hidden_dim)

    def forward(self, x, state):
        h, c = state
        i, f, g, o = (self.input(x) + self.hidden(h)).chunk(4, dim=1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        h = torch.sigmoid(o) * torch.tanh(c)
        return h, c


class GRUCell(nn.Module):
    def __init__(self, input_dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.input = nn.Linear(input_dim, 3 * hidden_dim)
        self.hidden = nn.Linear(hidden_dim, 3 * hidden_dim)

    def forward(self, x, state):
        xr, xz, xn = self.input(x).chunk(3, dim=1)
        hr, hz, hn = self.hidden(state).chunk(3, dim=1)
        r = torch.sigmoid(xr + hr)
        z = torch.sigmoid(xz + hz)
        n = torch.tanh(xn + r * hn)
        return z * state + (1 - z) * n


def run(cell, inputs, state, lengths=None):
    N, T, _ = inputs.shape
    if lengths is None:
        lengths = torch.full((N,), T, dtype=torch.int64, device=inputs.device)
    outputs = []
    for t in range(T):
        alive = (t < lengths).unsqueeze(1)  # (N, 1)
        x = inputs[:, t].masked_fill(~alive, 0.0)  # so that the padding is never read
        new = cell(x, state)
        if isinstance(state, tuple):
            h = torch.where(alive, new[0], state[0])
            c = torch.where(alive, new[1], state[1])
            state = (h, c)
        else:
            h = torch.where(alive, new, state)
            state = h
        outputs.append(h.masked_fill(~alive, 0.0))
    return torch.stack(outputs, dim=1), state


def candidate_weights(updates):
    T, d = updates.shape
    w = torch.zeros(T, T, d, dtype=updates.dtype, device=updates.device)
    for t in range(T):
        for i in range(t + 1):
            share = 1 - updates[i]
            for j in range(i + 1, t + 1):
                share = share * updates[j]
            w[t, i] = share
    return w


def gradient_norms(cell, inputs, state):
    with torch.enable_grad():
        if isinstance(state, tuple):
            state = tuple(s.detach().requires_grad_() for s in state)
        else:
            state = state.detach().requires_grad_()
        states = []
        for t in range(inputs.shape[1]):
            state = cell(inputs[:, t], state)
            states.append(state)
        if isinstance(state, tuple):
            total = state[0].sum()
            tensors = [s for pair in states for s in pair]
        else:
            total = state.sum()
            tensors = states
        grads = torch.autograd.grad(total, tensors)
    if isinstance(state, tuple):
        grads = [torch.cat(grads[k : k + 2], dim=1) for k in range(0, len(grads), 2)]
    return torch.stack([g.norm() for g in grads])
