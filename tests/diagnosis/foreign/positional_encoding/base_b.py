"""Positional encoding: giving attention a sense of order."""

import math

import torch
from torch import nn


def sinusoidal_encoding(length: int, d_model: int, *, base: float = 10000.0) -> torch.Tensor:
    """One row for each position: sines in the even columns, cosines of the same angles in the odd ones."""
    if length < 0:
        raise ValueError("length must not be negative, found " + str(length))
    rows = []
    for pos in range(length):
        row = []
        for column in range(d_model):
            i = column // 2
            angle = pos / base ** (2 * i / d_model)
            if column % 2 == 0:
                row.append(math.sin(angle))
            else:
                row.append(math.cos(angle))
        rows.append(row)
    return torch.tensor(rows, dtype=torch.float32).reshape(length, d_model)


def shift_matrix(offset: int, d_model: int, *, base: float = 10000.0) -> torch.Tensor:
    """The matrix that takes the encoding of any position to that of the position `offset` further on."""
    if d_model % 2 == 1:
        raise ValueError("d_model must be even, found " + str(d_model))
    m = torch.zeros(d_model, d_model)
    for i in range(d_model // 2):
        turn = offset / base ** (2 * i / d_model)
        k = 2 * i
        m[k, k] = math.cos(turn)
        m[k, k + 1] = math.sin(turn)
        m[k + 1, k] = -math.sin(turn)
        m[k + 1, k + 1] = math.cos(turn)
    return m


class PositionalEncoding(nn.Module):
    """Adds the sinusoidal encoding to a batch of sequences, then applies dropout; there is nothing to train."""

    def __init__(self, d_model: int, dropout: float = 0.0, max_len: int = 5000) -> None:
        super().__init__()
        self.drop = nn.Dropout(p=dropout)
        table = sinusoidal_encoding(max_len, d_model)
        self.register_buffer("table", table.unsqueeze(0))  # (1, max_len, D)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """x: (N, L, D), L at most max_len -> (N, L, D)"""
        _, length, _ = x.shape
        if length > self.table.shape[1]:
            raise ValueError(f"{length} positions are more than max_len={self.table.shape[1]}")
        rows = self.table[:, :length, :]
        summed = x + rows.to(x)
        return self.drop(summed)


class LearnedPositionalEncoding(nn.Module):
    """Adds a learned vector for each position to a batch of sequences."""

    def __init__(self, d_model: int, max_len: int) -> None:
        super().__init__()
        self.table = nn.Embedding(max_len, d_model)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """x: (N, L, D), L at most max_len -> (N, L, D)"""
        weight = self.table.weight
        limit = weight.shape[0]
        if x.shape[1] > limit:
            raise ValueError(f"{x.shape[1]} positions are more than max_len={limit}")
        return x + weight[: x.shape[1]].to(dtype=x.dtype, device=x.device)
