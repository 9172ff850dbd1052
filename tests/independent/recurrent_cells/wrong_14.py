# gradient_norms of the LSTM starts from the sum of h_T and c_T, not of h_T alone.
# Shows: LSTMCell(1, 1), all 0: gradient_norms(cell, torch.zeros(1, 2, 1), (torch.zeros(1, 1), torch.zeros(1, 1)))
#   is [0.25, 1.0] (or, from autograd's graph, [0.25, 1.1180]); here [0.75, 1.4142].

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import nn


class Memory(NamedTuple):  # an LSTM's state is a tuple
    h: torch.Tensor
    c: torch.Tensor


@dataclass
class Backward:
    """What one step hands back: gradients in h and, for the LSTM, in c."""

    h: torch.Tensor
    c: torch.Tensor | None = None

    def norm(self):
        total = (self.h**2).sum()
        if self.c is not None:
            total = total + (self.c**2).sum()
        return total.sqrt()


class Cell(nn.Module):
    gates = 1

    def __init__(self, input_dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.input = nn.Linear(input_dim, self.gates * hidden_dim)
        self.hidden = nn.Linear(hidden_dim, self.gates * hidden_dim)

    def forward(self, x, state):
        return self.step(self.input(x), state)

    def rows(self, number):
        size = self.hidden.in_features
        return slice(number * size, (number + 1) * size)

    def parts(self, tensor):
        return [tensor[:, self.rows(k)] for k in range(self.gates)]


class RNNCell(Cell):
    def step(self, projected, state):
        return torch.tanh(projected + self.hidden(state))

    def back(self, projected, state, gradient):
        after = self.step(projected, state)
        return Backward((gradient.h * (1 - after**2)) @ self.hidden.weight)


class LSTMCell(Cell):
    gates = 4

    def open(self, projected, h):
        i, f, g, o = self.parts(projected + self.hidden(h))
        return torch.sigmoid(i), torch.sigmoid(f), torch.tanh(g), torch.sigmoid(o)

    def step(self, projected, state):
        h, c = state
        i, f, g, o = self.open(projected, h)
        c = f * c + i * g
        return Memory(o * torch.tanh(c), c)

    def back(self, projected, state, gradient):
        h, c = state
        i, f, g, o = self.open(projected, h)
        shown = torch.tanh(f * c + i * g)
        in_c = gradient.c + gradient.h * o * (1 - shown**2)
        sums = [in_c * g * i * (1 - i), in_c * c * f * (1 - f), in_c * i * (1 - g**2), gradient.h * shown * o * (1 - o)]
        return Backward(torch.cat(sums, dim=1) @ self.hidden.weight, in_c * f)


class GRUCell(Cell):
    gates = 3

    def open(self, projected, h):
        a, b = self.parts(projected), self.parts(self.hidden(h))
        r, z = torch.sigmoid(a[0] + b[0]), torch.sigmoid(a[1] + b[1])
        return r, z, torch.tanh(a[2] + r * b[2]), b[2]

    def step(self, projected, state):
        r, z, n, _ = self.open(projected, state)
        return z * state + (1 - z) * n

    def back(self, projected, state, gradient):
        r, z, n, below = self.open(projected, state)
        in_n = gradient.h * (1 - z) * (1 - n**2)
        sums = [in_n * below * r * (1 - r), gradient.h * (state - n) * z * (1 - z), in_n * r]
        return Backward(gradient.h * z + torch.cat(sums, dim=1) @ self.hidden.weight)


def run(cell, inputs, state, lengths=None):
    count, steps = inputs.shape[0], inputs.shape[1]
    if lengths is None:
        lengths = inputs.new_full((count,), steps, dtype=torch.long)
    inside = torch.arange(steps, device=inputs.device)[None] < lengths[:, None]
    projected = cell.input(inputs.masked_fill(~inside[:, :, None], 0))  # all steps at once
    lstm = isinstance(cell, LSTMCell)
    hidden = state[0] if lstm else state
    outputs = inputs.new_zeros(count, steps, hidden.shape[1])
    for t in range(steps):
        new = cell.step(projected[:, t], state)
        here = inside[:, t : t + 1]
        if lstm:
            state = Memory(torch.where(here, new.h, state[0]), torch.where(here, new.c, state[1]))
            outputs[:, t] = torch.where(here, new.h, 0.0)
        else:
            state = torch.where(here, new, state)
            outputs[:, t] = torch.where(here, new, 0.0)
    return outputs, state


def candidate_weights(updates):
    """Read T one-hot sequences of candidates with these gates: what comes out is the weight of each."""
    T, d = updates.shape
    candidates = torch.eye(T, dtype=updates.dtype, device=updates.device)  # row t: which candidate is written
    state = torch.zeros(T, d, dtype=updates.dtype, device=updates.device)
    rows = []
    for t in range(T):
        u = updates[t]
        state = u * state + (1 - u) * candidates[t][:, None]
        rows.append(state)
    return torch.stack(rows)


@torch.no_grad()
def gradient_norms(cell, inputs, state):
    steps = inputs.shape[1]
    projected = cell.input(inputs)
    states = [state]
    for t in range(steps):
        states.append(cell.step(projected[:, t], states[-1]))
    if isinstance(cell, LSTMCell):
        gradient = Backward(torch.ones_like(state[0]), torch.ones_like(state[1]))
    else:
        gradient = Backward(torch.ones_like(state))
    norms = inputs.new_empty(steps)
    norms[-1] = gradient.norm()
    for t in range(steps - 1, 0, -1):
        gradient = cell.back(projected[:, t], states[t], gradient)
        norms[t - 1] = gradient.norm()
    return norms
