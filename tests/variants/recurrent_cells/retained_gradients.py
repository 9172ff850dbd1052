"""Gates by hand from slices of the weights; one graph for the whole sequence, and retain_grad on its states."""

import torch
from torch import nn


def sigmoid(x):
    return 1 / (1 + torch.exp(-x))


class RNNCell(nn.Module):
    def __init__(self, input_dim, hidden_dim):
        super().__init__()
        self.input = nn.Linear(input_dim, hidden_dim)
        self.hidden = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, state):
        a = x @ self.input.weight.T + state @ self.hidden.weight.T + self.input.bias + self.hidden.bias
        return a.tanh()


class LSTMCell(nn.Module):
    def __init__(self, input_dim, hidden_dim):
        super().__init__()
        self.input = nn.Linear(input_dim, 4 * hidden_dim)
        self.hidden = nn.Linear(hidden_dim, 4 * hidden_dim)
        self.size = hidden_dim

    def forward(self, x, state):
        h, c = state

        def gate(k):
            rows = slice(k * self.size, (k + 1) * self.size)
            from_x = x @ self.input.weight[rows].T + self.input.bias[rows]
            return from_x + h @ self.hidden.weight[rows].T + self.hidden.bias[rows]

        i, f, g, o = sigmoid(gate(0)), sigmoid(gate(1)), torch.tanh(gate(2)), sigmoid(gate(3))
        c = f * c + i * g
        h = o * torch.tanh(c)
        return h, c


class GRUCell(nn.Module):
    def __init__(self, input_dim, hidden_dim):
        super().__init__()
        self.input = nn.Linear(input_dim, 3 * hidden_dim)
        self.hidden = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.size = hidden_dim

    def forward(self, x, h):
        gx, gh, k = self.input(x), self.hidden(h), self.size
        r = sigmoid(gx[:, :k] + gh[:, :k])
        z = sigmoid(gx[:, k : 2 * k] + gh[:, k : 2 * k])
        n = torch.tanh(gx[:, 2 * k :] + r * gh[:, 2 * k :])
        return n + z * (h - n)


def run(cell, inputs, state, lengths=None):
    N, T, _ = inputs.shape
    if lengths is None:
        lengths = torch.full((N,), T, device=inputs.device)
    outputs = []
    for t in range(T):
        new = cell(inputs[:, t, :], state)
        mask = (lengths > t).to(inputs.dtype).unsqueeze(1)
        if isinstance(cell, LSTMCell):
            h = mask * new[0] + (1 - mask) * state[0]
            c = mask * new[1] + (1 - mask) * state[1]
            state = (h, c)
        else:
            h = mask * new + (1 - mask) * state
            state = h
        outputs.append(mask * h)
    return torch.stack(outputs, 1), state


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
    seen = []
    for t in range(inputs.size(1)):
        state = cell(inputs[:, t], state)
        for tensor in state if isinstance(state, tuple) else [state]:
            tensor.retain_grad()
        seen.append(state)
    last = seen[-1][0] if isinstance(seen[-1], tuple) else seen[-1]
    last.sum().backward()
    norms = []
    for state in seen:
        grads = [s.grad.flatten() for s in (state if isinstance(state, tuple) else [state])]
        norms.append(torch.cat(grads).pow(2).sum().sqrt())
    return torch.stack(norms)
