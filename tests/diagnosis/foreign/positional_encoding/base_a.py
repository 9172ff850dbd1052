"""Positional encoding: giving attention a sense of order."""

import torch
from torch import nn


def sinusoidal_encoding(length: int, d_model: int, *, base: float = 10000.0) -> torch.Tensor:
    """One row for each position: sines in the even columns, cosines of the same angles in the odd ones."""
    if length < 0:
        raise ValueError(f"length must be at least 0, not {length}")
    positions = torch.arange(length, dtype=torch.float32).unsqueeze(1)  # (length, 1)
    twice_i = torch.arange(0, d_model, 2, dtype=torch.float32)
    omega = 1.0 / base ** (twice_i / d_model)  # (ceil(d_model / 2),)
    angles = positions * omega
    table = torch.zeros(length, d_model)
    table[:, 0::2] = torch.sin(angles)
    table[:, 1::2] = torch.cos(angles[:, : d_model // 2])  # an odd width has no column for the last cosine
    return table


def shift_matrix(offset: int, d_model: int, *, base: float = 10000.0) -> torch.Tensor:
    """The matrix that takes the encoding of any position to that of the position `offset` further on."""
    if d_model % 2 != 0:
        raise ValueError(f"d_model must be even, not {d_model}")
    omega = 1.0 / base ** (torch.arange(0, d_model, 2, dtype=torch.float32) / d_model)
    cos, sin = torch.cos(offset * omega), torch.sin(offset * omega)
    even = torch.arange(0, d_model, 2)
    odd = even + 1
    matrix = torch.zeros(d_model, d_model)
    matrix[even, even] = cos
    matrix[even, odd] = sin
    matrix[odd, even] = -sin
    matrix[odd, odd] = cos
    return matrix


class PositionalEncoding(nn.Module):
    """Adds the sinusoidal encoding to a batch of sequences, then applies dropout; there is nothing to train."""

    def __init__(self, d_model: int, dropout: float = 0.0, max_len: int = 5000) -> None:
        super().__init__()
        self.max_len = max_len
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("pe", sinusoidal_encoding(max_len, d_model), persistent=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """x: (N, L, D), L at most max_len -> (N, L, D)"""
        length = x.size(1)
        if length > self.max_len:
            raise ValueError(f"the input has {length} positions, and max_len is {self.max_len}")
        return self.dropout(x + self.pe[:length].to(x.dtype))


class LearnedPositionalEncoding(nn.Module):
    """Adds a learned vector for each position to a batch of sequences."""

    def __init__(self, d_model: int, max_len: int) -> None:
        super().__init__()
        self.table = nn.Embedding(max_len, d_model)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """x: (N, L, D), L at most max_len -> (N, L, D)"""
        length = x.size(1)
        if length > self.table.num_embeddings:
            raise ValueError(f"the input has {length} positions, and max_len is {self.table.num_embeddings}")
        positions = torch.arange(length, device=x.device)
        return x + self.table(positions).to(x.dtype)
