"""Positional encoding: giving attention a sense of order.

Attention treats its input as a set: permute the tokens, and the outputs are permuted and nothing else. So each token
is told where it stands, by adding to it a vector that belongs to its position: one computed from sines and cosines,
or one that is learned.
"""

import torch
from torch import nn


def sinusoidal_encoding(length: int, d_model: int, *, base: float = 10000.0) -> torch.Tensor:
    """One row for each position: sines in the even columns, cosines of the same angles in the odd ones.

    length and d_model, which may be odd -> float32 (length, d_model)

    >>> sinusoidal_encoding(3, 4, base=100.0)
    tensor([[ 0.0000,  1.0000,  0.0000,  1.0000],
            [ 0.8415,  0.5403,  0.0998,  0.9950],
            [ 0.9093, -0.4161,  0.1987,  0.9801]])
    """
    raise NotImplementedError("sinusoidal_encoding is yours to write")


def shift_matrix(offset: int, d_model: int, *, base: float = 10000.0) -> torch.Tensor:
    """The matrix that takes the encoding of any position to that of the position `offset` further on.

    offset, which may be negative, and an even d_model -> (d_model, d_model)

    >>> shift_matrix(1, 2)
    tensor([[ 0.5403,  0.8415],
            [-0.8415,  0.5403]])
    """
    raise NotImplementedError("shift_matrix is yours to write")


class PositionalEncoding(nn.Module):
    """Adds the sinusoidal encoding to a batch of sequences, then applies dropout; there is nothing to train.

    >>> PositionalEncoding(4)(torch.zeros(1, 2, 4))
    tensor([[[0.0000, 1.0000, 0.0000, 1.0000],
             [0.8415, 0.5403, 0.0100, 0.9999]]])
    """

    def __init__(self, d_model: int, dropout: float = 0.0, max_len: int = 5000) -> None:
        super().__init__()
        raise NotImplementedError("PositionalEncoding.__init__ is yours to write")

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """x: (N, L, D), L at most max_len -> (N, L, D)"""
        raise NotImplementedError("PositionalEncoding.forward is yours to write")


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
        raise NotImplementedError("LearnedPositionalEncoding.forward is yours to write")
