"""Recurrent cells: a memory, and a shortcut through time.

A recurrent network reads a sequence step by step and keeps what it knows in a state. A plain cell writes the whole
state anew at each step: what it knew fades, and so does the gradient on its way back. Gates decide what is kept and
what is written, so that a state, and a gradient, can pass many steps unchanged.
"""

import torch
from torch import nn

State = torch.Tensor | tuple[torch.Tensor, torch.Tensor]  # h: (N, H), or for the LSTM (h, c): twice (N, H)


class RNNCell(nn.Module):
    """The plain cell: tanh(Wx + Uh + b) of the input and the state before.

    x: (N, input_dim), state: (N, H) -> the state after: (N, H)

    >>> cell = RNNCell(input_dim=2, hidden_dim=1)
    >>> for parameter in cell.parameters():
    ...     parameter.data = torch.ones_like(parameter)
    >>> cell(torch.tensor([[1.0, -2.0]]), torch.tensor([[-0.5]])).detach()  # tanh(1 - 2 + 1 - 0.5 + 1)
    tensor([[0.4621]])
    """

    def __init__(self, input_dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.input = nn.Linear(input_dim, hidden_dim)
        self.hidden = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: torch.Tensor, state: torch.Tensor) -> torch.Tensor:
        return torch.tanh(self.input(x) + self.hidden(state))


class LSTMCell(nn.Module):
    """Two memories: c, which gates keep and add to, and h, what is shown of it.

    x: (N, input_dim), state: h and c, each (N, H) -> h and c after, each (N, H)

    >>> cell = LSTMCell(input_dim=2, hidden_dim=1)
    >>> for parameter in cell.parameters():
    ...     parameter.data = torch.zeros_like(parameter)  # so all gates are half open, and nothing new is written
    >>> h, c = cell(torch.ones(1, 2), (torch.ones(1, 1), torch.tensor([[3.0]])))
    >>> c.item(), round(h.item(), 4)  # 3 / 2, and tanh(1.5) / 2
    (1.5, 0.4526)
    """

    def __init__(self, input_dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.input = nn.Linear(input_dim, 4 * hidden_dim)  # rows: input gate, forget gate, candidate, output gate
        self.hidden = nn.Linear(hidden_dim, 4 * hidden_dim)

    def forward(self, x: torch.Tensor, state: tuple[torch.Tensor, torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
        raise NotImplementedError("LSTMCell.forward is yours to write")


class GRUCell(nn.Module):
    """One memory: the update gate z says how much of it stays, and the rest is the candidate's.

    x: (N, input_dim), state: (N, H) -> the state after: (N, H)

    >>> cell = GRUCell(input_dim=2, hidden_dim=1)
    >>> for parameter in cell.parameters():
    ...     parameter.data = torch.zeros_like(parameter)  # so both gates are half open, and the candidate is 0
    >>> cell(torch.ones(1, 2), torch.tensor([[3.0]])).detach()
    tensor([[1.5000]])
    """

    def __init__(self, input_dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.input = nn.Linear(input_dim, 3 * hidden_dim)  # rows: reset gate, update gate, candidate
        self.hidden = nn.Linear(hidden_dim, 3 * hidden_dim)

    def forward(self, x: torch.Tensor, state: torch.Tensor) -> torch.Tensor:
        r_x, z_x, n_x = self.input(x).chunk(3, dim=1)
        r_h, z_h, n_h = self.hidden(state).chunk(3, dim=1)
        r, z = (r_x + r_h).sigmoid(), (z_x + z_h).sigmoid()
        return z * state + (1 - z) * (n_x + r * n_h).tanh()


def run(
    cell: nn.Module, inputs: torch.Tensor, state: State, lengths: torch.Tensor | None = None
) -> tuple[torch.Tensor, State]:
    """Read sequences step by step. Past its length a row's state stays as it is, and its output is 0.

    cell: one of the three above, inputs: (N, T, input_dim), state: the cell's, lengths: (N,), without it all are T
    -> outputs: (N, T, H), h after each step; the state after the last

    >>> cell = GRUCell(1, 1)
    >>> for parameter in cell.parameters():
    ...     parameter.data = torch.zeros_like(parameter)  # so each step halves the state
    >>> outputs, state = run(cell, torch.zeros(2, 3, 1), torch.tensor([[8.0], [40.0]]), torch.tensor([3, 1]))
    >>> outputs.squeeze(2).tolist(), state.tolist()
    ([[4.0, 2.0, 1.0], [20.0, 0.0, 0.0]], [[1.0], [20.0]])
    """
    raise NotImplementedError("run is yours to write")


def candidate_weights(updates: torch.Tensor) -> torch.Tensor:
    """How much of each candidate is in each state of a GRU: h_t = Π u_1..t · h_0 + Σ_i w[t, i] · candidate_i.

    updates: (T, d), the update gates u -> w: (T, T, d), w[t, i] = (1 - u_i) · Π_{j=i+1..t} u_j, and 0 for i > t

    >>> candidate_weights(torch.tensor([[0.9], [0.5], [0.2]])).squeeze(2)
    tensor([[0.1000, 0.0000, 0.0000],
            [0.0500, 0.5000, 0.0000],
            [0.0100, 0.1000, 0.8000]])
    """
    raise NotImplementedError("candidate_weights is yours to write")


def gradient_norms(cell: nn.Module, inputs: torch.Tensor, state: State) -> torch.Tensor:
    """How much the last output depends on each state before it: the 2-norm of ∂(Σ h_T)/∂h_t for t = 1 … T.

    cell: one of the three above, inputs: (1, T, input_dim), state: the cell's -> (T,)
    h_t is the state after step t; of the LSTM it is h and c together, as one vector.

    >>> cell = GRUCell(1, 4)
    >>> for parameter in cell.parameters():
    ...     parameter.data = torch.zeros_like(parameter)  # so each step halves the state, and so each gradient
    >>> gradient_norms(cell, torch.zeros(1, 3, 1), torch.zeros(1, 4))
    tensor([0.5000, 1.0000, 2.0000])
    """
    raise NotImplementedError("gradient_norms is yours to write")
