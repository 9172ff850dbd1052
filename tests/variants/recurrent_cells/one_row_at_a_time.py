"""Every sequence alone, without its padding; the weights by shifted running products; each gradient from a new start."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class RNNCell(nn.Module):
    def __init__(self, input_dim, hidden_dim):
        super().__init__()
        self.input = nn.Linear(input_dim, hidden_dim)
        self.hidden = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, state):
        return F.tanh(self.input(x) + self.hidden(state))


class LSTMCell(nn.Module):
    def __init__(self, input_dim, hidden_dim):
        super().__init__()
        self.input = nn.Linear(input_dim, 4 * hidden_dim)
        self.hidden = nn.Linear(hidden_dim, 4 * hidden_dim)

    def forward(self, x, state):
        short, long = state
        gates = (self.input(x) + self.hidden(short)).unflatten(1, (4, -1))  # (N, 4, h)
        open_ = gates.sigmoid()
        long = torch.addcmul(open_[:, 1] * long, open_[:, 0], gates[:, 2].tanh())
        return open_[:, 3] * long.tanh(), long


class GRUCell(nn.Module):
    def __init__(self, input_dim, hidden_dim):
        super().__init__()
        self.input = nn.Linear(input_dim, 3 * hidden_dim)
        self.hidden = nn.Linear(hidden_dim, 3 * hidden_dim)

    def forward(self, x, state):
        size = state.shape[1]
        of_x, of_h = self.input(x), self.hidden(state)
        reset, update = (of_x + of_h)[:, : 2 * size].sigmoid().split(size, dim=1)
        candidate = torch.tanh(of_x[:, 2 * size :] + reset * of_h[:, 2 * size :])
        return torch.lerp(candidate, state, update)


def one_row(cell, row, state):
    outputs = []
    for x in row:
        state = cell(x[None], state)
        outputs.append(state[0] if isinstance(state, tuple) else state)
    return outputs, state


def run(cell, inputs, state, lengths=None):
    paired = isinstance(state, tuple)
    all_outputs, all_states = [], []
    for n in range(inputs.shape[0]):
        length = inputs.shape[1] if lengths is None else int(lengths[n])
        start = tuple(s[n : n + 1] for s in state) if paired else state[n : n + 1]
        outputs, end = one_row(cell, inputs[n, :length], start)
        zero = torch.zeros_like(state[0][:1] if paired else state[:1])
        outputs += [zero] * (inputs.shape[1] - length)
        all_outputs.append(torch.cat(outputs))
        all_states.append(end)
    if paired:
        return torch.stack(all_outputs), tuple(torch.cat(column) for column in zip(*all_states))
    return torch.stack(all_outputs), torch.cat(all_states)


def candidate_weights(updates):
    T = len(updates)
    columns = []
    for i in range(T):
        after = torch.cat([1 - updates[i : i + 1], updates[i + 1 :]]).cumprod(dim=0)
        columns.append(torch.cat([updates.new_zeros(i, updates.shape[1]), after]))
    return torch.stack(columns, dim=1)


def gradient_norms(cell, inputs, state):
    norms = []
    for t in range(1, inputs.shape[1] + 1):
        _, here = one_row(cell, inputs[0, :t], state)
        leaves = [p.detach().clone().requires_grad_() for p in (here if isinstance(here, tuple) else (here,))]
        _, end = one_row(cell, inputs[0, t:], tuple(leaves) if len(leaves) == 2 else leaves[0])
        top = end[0] if isinstance(end, tuple) else end
        grads = torch.autograd.grad(top.sum(), leaves, allow_unused=True)
        norms.append(sum(g.square().sum() for g in grads if g is not None).sqrt())
    return torch.stack(norms)
