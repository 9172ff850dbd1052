"""A base class, states as lists of tensors, and hooks that write down each gradient as it comes by."""

import torch
from torch import nn


class Cell(nn.Module):
    gates = 1

    def __init__(self, input_dim, hidden_dim):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.input = nn.Linear(input_dim, self.gates * hidden_dim)
        self.hidden = nn.Linear(hidden_dim, self.gates * hidden_dim)

    def pieces(self, x, h):
        return list(zip(self.input(x).split(self.hidden_dim, 1), self.hidden(h).split(self.hidden_dim, 1)))

    def step(self, x, state):
        raise TypeError

    def forward(self, x, state):
        new = self.step(x, list(state) if isinstance(state, (tuple, list)) else [state])
        return tuple(new) if len(new) > 1 else new[0]


class RNNCell(Cell):
    def step(self, x, state):
        ((a, b),) = self.pieces(x, state[0])
        return [torch.tanh(a + b)]


class LSTMCell(Cell):
    gates = 4

    def step(self, x, state):
        i, f, g, o = [a + b for a, b in self.pieces(x, state[0])]
        c = torch.mul(torch.sigmoid(f), state[1]).add(torch.mul(torch.sigmoid(i), torch.tanh(g)))
        return [torch.sigmoid(o).mul(torch.tanh(c)), c]


class GRUCell(Cell):
    gates = 3

    def step(self, x, state):
        r, z, n = self.pieces(x, state[0])
        reset = torch.sigmoid(r[0] + r[1])
        update = torch.sigmoid(z[0] + z[1])
        candidate = torch.tanh(n[0] + reset * n[1])
        return [update * state[0] + candidate - update * candidate]


def run(cell, inputs, state, lengths=None):
    state = list(state) if isinstance(state, tuple) else [state]
    ends = [inputs.shape[1]] * inputs.shape[0] if lengths is None else lengths.tolist()
    outputs = []
    for t, x in enumerate(inputs.unbind(1)):
        new = cell(x, tuple(state) if len(state) > 1 else state[0])
        new = list(new) if isinstance(new, tuple) else [new]
        kept = []
        for old, fresh in zip(state, new):
            kept.append(torch.stack([fresh[n] if t < ends[n] else old[n] for n in range(len(ends))]))
        state = kept
        outputs.append(torch.stack([h if t < ends[n] else torch.zeros_like(h) for n, h in enumerate(state[0])]))
    return torch.stack(outputs, 1), (tuple(state) if len(state) > 1 else state[0])


def candidate_weights(updates):
    T, d = updates.shape
    table = {(i, i): 1 - updates[i] for i in range(T)}
    for i in range(T):
        for t in range(i + 1, T):
            table[t, i] = table[t - 1, i] * updates[t]
    nothing = torch.zeros_like(updates[0])
    return torch.stack([torch.stack([table.get((t, i), nothing) for i in range(T)]) for t in range(T)])


def gradient_norms(cell, inputs, state):
    T = inputs.shape[1]
    squares = inputs.new_zeros(T)

    def watch(t):
        def hook(grad):
            squares[t] += grad.pow(2).sum()

        return hook

    for t in range(T):
        state = cell(inputs[:, t], state)
        for tensor in state if isinstance(state, tuple) else (state,):
            tensor.register_hook(watch(t))
    last = state[0] if isinstance(state, tuple) else state
    torch.autograd.grad(last.sum(), list(cell.parameters()))
    return squares.sqrt()
