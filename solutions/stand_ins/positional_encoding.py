"""Stands in for a student's own ``positional_encoding`` where a later exercise builds on it."""

import math

import torch
from torch import nn


def sinusoidal_encoding(length: int, d_model: int, *, base: float = 10000.0) -> torch.Tensor:
    """Points on circles, one for each pair of columns; a point's two coordinates are what is wanted."""
    if length < 0:
        raise ValueError(f"length must not be negative, found {length}")
    pairs = math.ceil(d_model / 2)
    speeds = base ** (-2 * torch.arange(pairs, dtype=torch.float64) / d_model)
    angles = torch.outer(torch.arange(length, dtype=torch.float64), speeds)
    points = torch.view_as_real(torch.polar(torch.ones_like(angles), angles))  # (length, pairs, 2): cosine, sine
    return points.flip(-1).flatten(1)[:, :d_model].float()


class PositionalEncoding(nn.Module):
    def __init__(self, d_model: int, dropout: float = 0.0, max_len: int = 5000) -> None:
        super().__init__()
        self.register_buffer("table", sinusoidal_encoding(max_len, d_model), persistent=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if x.shape[1] > len(self.table):
            raise ValueError(f"max_len is {len(self.table)}, and the input has {x.shape[1]} positions")
        return self.dropout(x + self.table[: x.shape[1]].to(x))


class LearnedPositionalEncoding(nn.Module):
    def __init__(self, d_model: int, max_len: int) -> None:
        super().__init__()
        self.table = nn.Embedding(max_len, d_model)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if x.shape[1] > self.table.num_embeddings:
            raise ValueError(f"max_len is {self.table.num_embeddings}, and the input has {x.shape[1]} positions")
        return x + self.table.weight[: x.shape[1]]
