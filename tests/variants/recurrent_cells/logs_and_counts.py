"""Weights in log space, where gates of 0 are counted; outputs written into zeros; what is added to a state is 0."""

from typing import NamedTuple

import torch
from torch import nn


class Memory(NamedTuple):
    h: torch.Tensor
    c: torch.Tensor


class RNNCell(nn.Module):
    def __init__(self, input_dim, hidden_dim):
        super().__init__()
        self.input = nn.Linear(input_dim, hidden_dim)
        self.hidden = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, state):
        total = torch.addmm(self.input.bias + self.hidden.bias, x, self.input.weight.t())
        return torch.tanh(torch.addmm(total, state, self.hidden.weight.t()))


class LSTMCell(nn.Module):
    def __init__(self, input_dim, hidden_dim):
        super().__init__()
        self.input = nn.Linear(input_dim, 4 * hidden_dim)
        self.hidden = nn.Linear(hidden_dim, 4 * hidden_dim)

    def forward(self, x, state):
        h, c = state
        i, f, g, o = (self.input(x) + self.hidden(h)).view(len(x), 4, -1).unbind(1)
        kept = torch.exp(nn.functional.logsigmoid(f)) * c
        c = kept + torch.exp(nn.functional.logsigmoid(i)) * torch.tanh(g)
        return Memory(torch.exp(nn.functional.logsigmoid(o)) * torch.tanh(c), c)


class GRUCell(nn.Module):
    def __init__(self, input_dim, hidden_dim):
        super().__init__()
        self.input = nn.Linear(input_dim, 3 * hidden_dim)
        self.hidden = nn.Linear(hidden_dim, 3 * hidden_dim)

    def forward(self, x, state):
        a = self.input(x).view(len(x), 3, -1)
        b = self.hidden(state).view(len(x), 3, -1)
        r, z = torch.sigmoid(a[:, :2] + b[:, :2]).unbind(1)
        n = torch.tanh(a[:, 2] + r * b[:, 2])
        return n - z * n + z * state


def run(cell, inputs, state, lengths=None):
    n, steps, _ = inputs.shape
    h = state[0] if isinstance(state, tuple) else state
    outputs = torch.zeros(n, steps, h.shape[1], dtype=h.dtype, device=h.device)
    for t in range(steps):
        new = cell(inputs[:, t], state)
        if lengths is not None:
            over = (lengths <= t).unsqueeze(-1)
            if isinstance(new, tuple):
                new = Memory(*(torch.where(over, old, fresh) for old, fresh in zip(state, new)))
            else:
                new = torch.where(over, state, new)
        state = new
        outputs[:, t] = state.h if isinstance(state, Memory) else state
    if lengths is not None:
        late = torch.arange(steps, device=inputs.device)[None] >= lengths[:, None]
        outputs = outputs.masked_fill(late[:, :, None], 0.0)
    return outputs, state


def candidate_weights(updates):
    shut = updates == 0
    logs = torch.where(shut, torch.ones_like(updates), updates).log().cumsum(0)
    zeros = shut.long().cumsum(0)
    product = torch.exp(logs[:, None] - logs[None])  # over j = i+1 .. t, of all that are not 0
    product = torch.where(zeros[:, None] == zeros[None], product, torch.zeros_like(product))
    rows = len(updates)
    lower = torch.ones(rows, rows, dtype=torch.bool, device=updates.device).tril()[..., None]
    return torch.where(lower, product * (1 - updates)[None], torch.zeros_like(product))


def gradient_norms(cell, inputs, state):
    nothings = []
    for t in range(inputs.shape[1]):
        state = cell(inputs[:, t], state)
        if isinstance(state, tuple):
            h, c = state
            nothing = torch.zeros(1, 2 * h.shape[1], dtype=h.dtype, device=h.device, requires_grad=True)
            state = (h + nothing[:, : h.shape[1]], c + nothing[:, h.shape[1] :])
        else:
            nothing = torch.zeros_like(state).requires_grad_()
            state = state + nothing
        nothings.append(nothing)
    total = (state[0] if isinstance(state, tuple) else state).sum()
    grads = torch.autograd.grad(total, nothings)
    return torch.linalg.vector_norm(torch.cat(grads), dim=1)
