# LSTMCell takes the gates as interleaved in the rows (every fourth row belongs to i) and not as four blocks: the same for hidden_dim 1.
# Shows: LSTMCell(1, 2), all 0 but input.bias = [a, a, -a, -a, 0, 0, 0, 0] with a = 1.0986 (i = 3/4, f = 1/4):
#   cell(torch.zeros(1, 1), (torch.zeros(1, 2), torch.full((1, 2), 4.))) has c = [[1.0, 1.0]]; here [[2.4, 2.0]].

import torch
from torch import nn
from torch.nn import functional as F


class RNNCell(nn.Module):
    def __init__(self, input_dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.input = nn.Linear(input_dim, hidden_dim)
        self.hidden = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, state):
        both = torch.cat([x, state], dim=-1)
        weight = torch.cat([self.input.weight, self.hidden.weight], dim=1)
        return F.linear(both, weight, self.input.bias + self.hidden.bias).tanh()


class LSTMCell(nn.Module):
    def __init__(self, input_dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.input = nn.Linear(input_dim, 4 * hidden_dim)
        self.hidden = nn.Linear(hidden_dim, 4 * hidden_dim)

    def forward(self, x, state):
        h, c = state
        size = h.shape[-1]
        sums = x @ self.input.weight.T + h @ self.hidden.weight.T + (self.input.bias + self.hidden.bias)
        write, keep, content, show = sums.unflatten(-1, (size, 4)).unbind(dim=-1)
        c_new = torch.addcmul(keep.sigmoid() * c, write.sigmoid(), content.tanh())
        return show.sigmoid() * c_new.tanh(), c_new


class GRUCell(nn.Module):
    def __init__(self, input_dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.input = nn.Linear(input_dim, 3 * hidden_dim)
        self.hidden = nn.Linear(hidden_dim, 3 * hidden_dim)

    def forward(self, x, state):
        size = state.shape[-1]
        a = F.linear(x, self.input.weight, self.input.bias)
        b = F.linear(state, self.hidden.weight, self.hidden.bias)
        gates = (a[:, : 2 * size] + b[:, : 2 * size]).sigmoid()
        r, z = gates[:, :size], gates[:, size:]
        n = (a[:, 2 * size :] + r * b[:, 2 * size :]).tanh()
        return torch.lerp(n, state, z)


def run(cell, inputs, state, lengths=None):
    rows, steps, _ = inputs.shape
    lstm = isinstance(state, tuple)
    parts = list(state) if lstm else [state]
    if lengths is None:
        lengths = torch.full((rows,), steps, device=inputs.device)
    outputs = []
    for t in range(steps):
        alive = torch.nonzero(lengths > t).squeeze(1)
        before = [p.index_select(0, alive) for p in parts]
        after = cell(inputs[:, t].index_select(0, alive), tuple(before) if lstm else before[0])
        after = list(after) if lstm else [after]
        outputs.append(torch.zeros_like(parts[0]).index_copy(0, alive, after[0]))
        parts = [p.index_copy(0, alive, a) for p, a in zip(parts, after)]
    return torch.stack(outputs, 1), (tuple(parts) if lstm else parts[0])


def candidate_weights(updates):
    steps = torch.arange(len(updates), device=updates.device)
    t, i, j = steps[:, None, None], steps[None, :, None], steps[None, None, :]
    counts = (i < j) & (j <= t)  # (T, T, T): whether gate j is a factor of w[t, i]
    factors = torch.where(counts[..., None], updates, torch.ones_like(updates))  # (T, T, T, d)
    w = (1 - updates) * factors.prod(dim=2)
    return w * (i <= t).to(w.dtype)


def gradient_norms(cell, inputs, state):
    """Step by step back: each step is one vector-Jacobian product, and h and c are cut free of each other."""
    single = not isinstance(state, tuple)
    now = [state] if single else list(state)
    pairs = []
    for t in range(inputs.size(1)):
        with torch.enable_grad():
            leaves = [s.detach().clone().requires_grad_(True) for s in now]
            result = cell(inputs[:, t], leaves[0] if single else tuple(leaves))
            now = [result] if single else list(result)
        pairs.append((leaves, now))
    grads = [torch.ones_like(now[0])] + [torch.zeros_like(s) for s in now[1:]]
    grads = [g.detach() for g in grads]
    norms = [torch.cat(grads, 1).norm()]
    for leaves, after in reversed(pairs[1:]):
        grads = list(torch.autograd.grad(after, leaves, grads))
        norms.append(torch.cat(grads, 1).norm())
    return torch.stack(norms[::-1])
