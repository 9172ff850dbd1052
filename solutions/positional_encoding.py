"""Positional encoding: giving attention a sense of order.

Attention treats its input as a set: permute the tokens, and the outputs are permuted and nothing else. So each token
is told where it stands, by adding to it a vector that belongs to its position: one computed from sines and cosines,
or one that is learned.
"""

import torch
from torch import nn

### BEGIN SOLUTION


def frequencies(d_model: int, base: float) -> torch.Tensor:
    """How fast each pair of columns turns, from fast to slow: (P,), P = d_model / 2, rounded up."""
    exponents = torch.arange(0, d_model, 2) / d_model  # (P,): 0, 2/d, 4/d, ...
    return base**-exponents


### END SOLUTION


def sinusoidal_encoding(length: int, d_model: int, *, base: float = 10000.0) -> torch.Tensor:
    """One row for each position: sines in the even columns, cosines of the same angles in the odd ones.

    length and d_model, which may be odd -> float32 (length, d_model)

    >>> sinusoidal_encoding(3, 4, base=100.0)
    tensor([[ 0.0000,  1.0000,  0.0000,  1.0000],
            [ 0.8415,  0.5403,  0.0998,  0.9950],
            [ 0.9093, -0.4161,  0.1987,  0.9801]])
    """
    ### BEGIN SOLUTION
    if length < 0:
        raise ValueError(f"length must not be negative, and {length} is")
    positions = torch.arange(length)[:, None]  # (L, 1)
    angles = positions * frequencies(d_model, base)  # (L, P)
    table = torch.empty(length, d_model)
    table[:, 0::2] = angles.sin()
    table[:, 1::2] = angles[:, : d_model // 2].cos()  # an odd width has no room for the last cosine
    return table
    ### END SOLUTION


def shift_matrix(offset: int, d_model: int, *, base: float = 10000.0) -> torch.Tensor:
    """The matrix that takes the encoding of any position to that of the position `offset` further on.

    offset, which may be negative, and an even d_model -> (d_model, d_model)

    >>> shift_matrix(1, 2)
    tensor([[ 0.5403,  0.8415],
            [-0.8415,  0.5403]])
    """
    ### BEGIN SOLUTION
    if d_model % 2:
        raise ValueError(f"d_model must be even, as every sine needs its cosine, and {d_model} is odd")
    angles = offset * frequencies(d_model, base)  # (P,)
    sin, cos = angles.sin(), angles.cos()
    # sin(a + b) = cos b · sin a + sin b · cos a, and cos(a + b) = -sin b · sin a + cos b · cos a. The angle b of the
    # shift stands in the matrix, that of the position in the vector: so one matrix serves all positions.
    new_sines = torch.stack([cos, sin], dim=-1)  # (P, 2)
    new_cosines = torch.stack([-sin, cos], dim=-1)  # (P, 2)
    blocks = torch.stack([new_sines, new_cosines], dim=1)  # (P, 2, 2)
    return torch.block_diag(*blocks)
    ### END SOLUTION


class PositionalEncoding(nn.Module):
    """Adds the sinusoidal encoding to a batch of sequences, then applies dropout; there is nothing to train.

    >>> PositionalEncoding(4)(torch.zeros(1, 2, 4))
    tensor([[[0.0000, 1.0000, 0.0000, 1.0000],
             [0.8415, 0.5403, 0.0100, 0.9999]]])
    """

    def __init__(self, d_model: int, dropout: float = 0.0, max_len: int = 5000) -> None:
        super().__init__()
        ### BEGIN SOLUTION
        self.dropout = nn.Dropout(dropout)
        # A buffer belongs to the module, so it goes along with .to() and .double(); but it is no parameter, so no
        # optimiser ever sees it. It can be computed again at any time, so checkpoints do without it.
        self.register_buffer("table", sinusoidal_encoding(max_len, d_model), persistent=False)  # (max_len, D)
        ### END SOLUTION

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """x: (N, L, D), L at most max_len -> (N, L, D)"""
        ### BEGIN SOLUTION
        length, max_len = x.shape[1], self.table.shape[0]
        if length > max_len:
            raise ValueError(f"the input has {length} positions, and max_len is {max_len}")
        rows = self.table[:length].to(x.dtype)  # (L, D): x decides about the dtype of the sum
        return self.dropout(x + rows)  # (N, L, D) + (L, D): the same rows for every sequence
        ### END SOLUTION


class LearnedPositionalEncoding(nn.Module):
    """Adds a learned vector for each position to a batch of sequences.

    >>> LearnedPositionalEncoding(4, max_len=7)(torch.zeros(3, 5, 4)).shape
    torch.Size([3, 5, 4])
    """

    def __init__(self, d_model: int, max_len: int) -> None:
        super().__init__()
        self.table = nn.Embedding(max_len, d_model)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """x: (N, L, D), L at most max_len -> (N, L, D)"""
        ### BEGIN SOLUTION
        length, max_len = x.shape[1], self.table.num_embeddings
        if length > max_len:
            raise ValueError(f"there are {length} positions, but max_len={max_len} learned vectors")
        positions = torch.arange(length, device=x.device)  # (L,)
        return x + self.table(positions).to(x.dtype)  # (N, L, D) + (L, D)
        ### END SOLUTION
