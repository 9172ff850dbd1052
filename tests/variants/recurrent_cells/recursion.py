"""Recursion over the sequence, einsum in the cells, numpy for the weights, and whole Jacobians."""

import numpy as np
import torch
from torch import nn


def affine(layer, x):
    return torch.einsum("ni,oi->no", x, layer.weight) + layer.bias


class RNNCell(nn.Module):
    def __init__(self, input_dim, hidden_dim):
        super().__init__()
        self.input = nn.Linear(input_dim, hidden_dim)
        self.hidden = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, state):
        return torch.tanh(affine(self.input, x) + affine(self.hidden, state))


class LSTMCell(nn.Module):
    def __init__(self, input_dim, hidden_dim):
        super().__init__()
        self.input = nn.Linear(input_dim, 4 * hidden_dim)
        self.hidden = nn.Linear(hidden_dim, 4 * hidden_dim)

    def forward(self, x, state):
        h, c = state
        gates = dict(zip("ifgo", torch.chunk(affine(self.input, x) + affine(self.hidden, h), 4, dim=-1)))
        keep = gates["f"].sigmoid() * c
        write = gates["i"].sigmoid() * gates["g"].tanh()
        return gates["o"].sigmoid() * (keep + write).tanh(), keep + write


class GRUCell(nn.Module):
    def __init__(self, input_dim, hidden_dim):
        super().__init__()
        self.input = nn.Linear(input_dim, 3 * hidden_dim)
        self.hidden = nn.Linear(hidden_dim, 3 * hidden_dim)

    def forward(self, x, state):
        a = dict(zip("rzn", affine(self.input, x).chunk(3, dim=-1)))
        b = dict(zip("rzn", affine(self.hidden, state).chunk(3, dim=-1)))
        r = (a["r"] + b["r"]).sigmoid()
        n = (a["n"] + r * b["n"]).tanh()
        # the share of the candidate: 1 - sigmoid(a) = sigmoid(-a)
        return (a["z"] + b["z"]).sigmoid() * state + (-a["z"] - b["z"]).sigmoid() * n


def run(cell, inputs, state, lengths=None):
    if inputs.shape[1] == 0:
        h = state[0] if isinstance(state, tuple) else state
        return inputs.new_zeros(len(inputs), 0, h.shape[-1]), state
    here = torch.ones(len(inputs), dtype=torch.bool, device=inputs.device) if lengths is None else lengths > 0
    here = here.unsqueeze(-1)
    after = cell(inputs[:, 0], state)
    if isinstance(after, tuple):
        state = tuple(torch.where(here, a, s) for a, s in zip(after, state))
        first = torch.where(here, state[0], 0 * state[0])
    else:
        state = torch.where(here, after, state)
        first = torch.where(here, state, 0 * state)
    rest, state = run(cell, inputs[:, 1:], state, None if lengths is None else lengths - 1)
    return torch.cat([first.unsqueeze(1), rest], dim=1), state


def candidate_weights(updates):
    u = updates.detach().cpu().numpy().astype(np.float64)
    w = np.zeros((len(u), *u.shape))
    for t in range(len(u)):
        w[t, : t + 1] = (1 - u[: t + 1]) * np.stack([np.prod(u[i + 1 : t + 1], axis=0) for i in range(t + 1)])
    return torch.from_numpy(w).to(updates.device, updates.dtype)


def gradient_norms(cell, inputs, state):
    pair = isinstance(state, tuple)
    flat = torch.cat(state, dim=1)[0] if pair else state[0]  # (S,)
    size = len(flat) // 2 if pair else len(flat)

    def step(x, flat):
        old = (flat[None, :size], flat[None, size:]) if pair else flat[None]
        new = cell(x[None], old)
        return torch.cat(new, dim=1)[0] if pair else new[0]

    jacobians = []
    for x in inputs[0]:
        jacobians.append(torch.autograd.functional.jacobian(lambda s, x=x: step(x, s), flat))
        flat = step(x, flat).detach()
    gradient = torch.zeros_like(flat)
    gradient[:size] = 1.0
    norms = [gradient.norm()]
    for jacobian in jacobians[:0:-1]:
        gradient = gradient @ jacobian
        norms.append(gradient.norm())
    return torch.stack(norms).flip(0)
