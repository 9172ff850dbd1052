# run detaches the state in the rows that are past their length (it copies the kept state with detach), so no gradient reaches the inputs of a short row through its final state.
# Shows: GRUCell(1, 1), all 0, s = torch.tensor([[8.]], requires_grad=True): run(cell, torch.zeros(1, 3, 1), s, torch.tensor([1]))[1].sum().backward()
#   gives s.grad = [[0.5]]; here [[0.0]]. (All values are right, and all gradients without lengths.)

from functools import partial, reduce
from itertools import accumulate

import torch
from torch import nn


def tree(function, *states):
    """function on a state, or on both parts of an LSTM's."""
    if torch.is_tensor(states[0]):
        return function(*states)
    return tuple(function(*parts) for parts in zip(*states))


def shown(state):
    return state if torch.is_tensor(state) else state[0]


class RNNCell(nn.Module):
    def __init__(self, input_dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.input = nn.Linear(input_dim, hidden_dim)
        self.hidden = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, state):
        return reduce(torch.add, (self.input(x), self.hidden(state))).tanh()


class LSTMCell(nn.Module):
    def __init__(self, input_dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.input = nn.Linear(input_dim, 4 * hidden_dim)
        self.hidden = nn.Linear(hidden_dim, 4 * hidden_dim)

    def forward(self, x, state):
        size = self.hidden.in_features
        sums = torch.split(self.input(x) + self.hidden(state[0]), size, dim=-1)
        functions = (torch.sigmoid, torch.sigmoid, torch.tanh, torch.sigmoid)
        i, f, g, o = (function(part) for function, part in zip(functions, sums))
        memory = f * state[1] + i * g
        return o * memory.tanh(), memory


class GRUCell(nn.Module):
    def __init__(self, input_dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.input = nn.Linear(input_dim, 3 * hidden_dim)
        self.hidden = nn.Linear(hidden_dim, 3 * hidden_dim)

    def forward(self, x, state):
        size = self.hidden.in_features
        (xr, xz, xn), (hr, hz, hn) = (layer.split(size, dim=-1) for layer in (self.input(x), self.hidden(state)))
        keep = torch.sigmoid(xz + hz)
        return keep * state + (1 - keep) * torch.tanh(xn + torch.sigmoid(xr + hr) * hn)


def run(cell, inputs, state, lengths=None):
    T = inputs.shape[1]
    if lengths is None:
        mask = inputs.new_ones(inputs.shape[:2], dtype=torch.bool)
    else:
        mask = torch.arange(T, device=inputs.device).expand(len(inputs), T) < lengths[:, None]
    clean = torch.where(mask[..., None], inputs, torch.zeros_like(inputs))

    def step(before, t):
        keep_or_take = partial(torch.where, mask[:, t, None])
        return tree(keep_or_take, cell(clean[:, t], before), tree(torch.Tensor.detach, before))

    states = list(accumulate(range(T), step, initial=state))
    outputs = torch.stack([shown(s) for s in states[1:]], dim=1)
    return torch.where(mask[..., None], outputs, torch.zeros_like(outputs)), states[-1]


def candidate_weights(updates):
    """A triangle from the triangle of all steps but the last: its rows, and its last row times the last gates."""
    if len(updates) == 1:
        return 1 - updates[None]
    smaller = candidate_weights(updates[:-1])  # (T - 1, T - 1, d)
    last = updates[-1:]
    row = torch.cat([smaller[-1] * last, 1 - last])  # (T, d)
    column = torch.zeros_like(smaller[:, :1])
    return torch.cat([torch.cat([smaller, column], dim=1), row[None]])


def gradient_norms(cell, inputs, state):
    is_pair = not torch.is_tensor(state)

    def flat_step(x, vector):  # (S,) -> (S,)
        if is_pair:
            h, c = vector.chunk(2)
            return torch.cat(cell(x, (h[None], c[None])), dim=1)[0]
        return cell(x, vector[None])[0]

    vector = (torch.cat(state, dim=1) if is_pair else state)[0].detach()
    hidden = shown(state).shape[1]
    jacobians = []
    for t in range(inputs.shape[1]):
        x = inputs[:, t].detach()
        jacobians.append(torch.func.jacrev(partial(flat_step, x))(vector).detach())
        vector = flat_step(x, vector).detach()
    last = torch.zeros_like(vector)
    last[:hidden] = 1
    gradients = accumulate(reversed(jacobians[1:]), lambda g, jacobian: jacobian.T @ g, initial=last)
    return torch.stack([torch.linalg.vector_norm(g) for g in gradients]).flip(0)
