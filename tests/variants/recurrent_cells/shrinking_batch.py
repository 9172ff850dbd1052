"""Sorted by length: each step is computed for the rows that still go on. The weights without a loop; vjp of each step."""

import torch
from torch import nn
from torch.func import vjp


class RNNCell(nn.Module):
    def __init__(self, input_dim, hidden_dim):
        super().__init__()
        self.input = nn.Linear(input_dim, hidden_dim)
        self.hidden = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, state):
        return 2 * torch.sigmoid(2 * (self.input(x) + self.hidden(state))) - 1


class LSTMCell(nn.Module):
    def __init__(self, input_dim, hidden_dim):
        super().__init__()
        self.input = nn.Linear(input_dim, 4 * hidden_dim)
        self.hidden = nn.Linear(hidden_dim, 4 * hidden_dim)

    def forward(self, x, state):
        both = torch.cat([x, state[0], torch.ones_like(x[:, :1])], dim=1)
        weight = torch.cat([self.input.weight, self.hidden.weight, (self.input.bias + self.hidden.bias)[:, None]], dim=1)
        i, f, g, o = torch.split(both @ weight.t(), state[0].size(1), dim=1)
        c = torch.sigmoid(f) * state[1] + torch.sigmoid(i) * torch.tanh(g)
        return torch.sigmoid(o) * torch.tanh(c), c


class GRUCell(nn.Module):
    def __init__(self, input_dim, hidden_dim):
        super().__init__()
        self.input = nn.Linear(input_dim, 3 * hidden_dim)
        self.hidden = nn.Linear(hidden_dim, 3 * hidden_dim)

    def forward(self, x, state):
        wr, wz, wn = self.input.weight.chunk(3)
        ur, uz, un = self.hidden.weight.chunk(3)
        br, bz, bn = self.input.bias.chunk(3)
        cr, cz, cn = self.hidden.bias.chunk(3)
        r = torch.sigmoid(x @ wr.T + br + state @ ur.T + cr)
        z = torch.sigmoid(x @ wz.T + bz + state @ uz.T + cz)
        n = torch.tanh(x @ wn.T + bn + r * (state @ un.T + cn))
        return z * state + (1 - z) * n


def run(cell, inputs, state, lengths=None):
    batch, steps, _ = inputs.shape
    if lengths is None:
        lengths = torch.tensor([steps] * batch, device=inputs.device)
    order = torch.argsort(lengths, descending=True)
    back = torch.argsort(order)
    pair = isinstance(state, tuple)
    now = [s[order] for s in (state if pair else [state])]
    x = inputs[order]
    outputs = []
    for t in range(steps):
        k = int((lengths > t).sum())
        if k:
            new = cell(x[:k, t], tuple(s[:k] for s in now) if pair else now[0][:k])
            new = new if pair else [new]
            now = [torch.cat([a, s[k:]]) for a, s in zip(new, now)]
        outputs.append(torch.cat([now[0][:k], torch.zeros_like(now[0][k:])]))
    out = torch.stack(outputs, dim=1)[back]
    now = [s[back] for s in now]
    return out, (tuple(now) if pair else now[0])


def candidate_weights(updates):
    T = updates.shape[0]
    place = torch.arange(T, device=updates.device)
    t, i, j = place[:, None, None], place[None, :, None], place[None, None, :]
    counts = (i < j) & (j <= t)  # (T, T, T)
    factors = torch.where(counts[..., None], updates, torch.ones_like(updates))  # (T, T, T, d)
    weights = factors.prod(dim=2) * (1 - updates)
    return weights * (i <= t)


def gradient_norms(cell, inputs, state):
    pullbacks = []
    for x in inputs.transpose(0, 1):
        state, back = vjp(lambda s, x=x: cell(x, s), state)
        pullbacks.append(back)
    if isinstance(state, tuple):
        gradient = (torch.ones_like(state[0]), torch.zeros_like(state[1]))
    else:
        gradient = torch.ones_like(state)
    norms = []
    for back in reversed(pullbacks):
        flat = torch.cat(gradient, dim=1) if isinstance(gradient, tuple) else gradient
        norms.insert(0, flat.detach().norm())
        (gradient,) = back(gradient)
    return torch.stack(norms)
