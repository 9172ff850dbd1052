"""Positional encoding: giving attention a sense of order."""

import torch
from torch import nn


def _speeds(d_model: int, base: float) -> torch.Tensor:
    """How far each hand turns in one step: one number for each pair of columns, the last one of odd widths included."""
    exponents = torch.arange((d_model + 1) // 2, dtype=torch.float64) * 2 / d_model
    return torch.pow(torch.tensor(base, dtype=torch.float64), -exponents)


def sinusoidal_encoding(length: int, d_model: int, *, base: float = 10000.0) -> torch.Tensor:
    """One row for each position: sines in the even columns, cosines of the same angles in the odd ones."""
    if length < 0:
        raise ValueError(f"length is {length}, and should be 0 or more")
    angles = torch.outer(torch.arange(length, dtype=torch.float64), _speeds(d_model, base))
    pairs = torch.stack([angles.sin(), angles.cos()], dim=-1)  # (length, pairs, 2)
    return pairs.flatten(1)[:, :d_model].float()


def shift_matrix(offset: int, d_model: int, *, base: float = 10000.0) -> torch.Tensor:
    """The matrix that takes the encoding of any position to that of the position `offset` further on."""
    if d_model % 2:
        raise ValueError(f"d_model is {d_model}, and should be even")
    blocks = []
    for angle in offset * _speeds(d_model, base):
        cos, sin = angle.cos(), angle.sin()
        blocks.append(torch.stack([torch.stack([cos, sin]), torch.stack([-sin, cos])]))
    return torch.block_diag(*blocks)


def _check(length: int, max_len: int) -> None:
    if length > max_len:
        raise ValueError(f"max_len is {max_len}, and the input has {length} positions")


class PositionalEncoding(nn.Module):
    """Adds the sinusoidal encoding to a batch of sequences, then applies dropout; there is nothing to train."""

    def __init__(self, d_model: int, dropout: float = 0.0, max_len: int = 5000) -> None:
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("table", sinusoidal_encoding(max_len, d_model))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """x: (N, L, D), L at most max_len -> (N, L, D)"""
        _check(x.shape[1], len(self.table))
        return self.dropout(x + self.table[: x.shape[1]].type_as(x))


class LearnedPositionalEncoding(nn.Module):
    """Adds a learned vector for each position to a batch of sequences."""

    def __init__(self, d_model: int, max_len: int) -> None:
        super().__init__()
        self.table = nn.Embedding(max_len, d_model)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """x: (N, L, D), L at most max_len -> (N, L, D)"""
        _check(x.shape[1], self.table.num_embeddings)
        index = torch.arange(x.shape[1], device=x.device).expand(x.shape[0], -1)  # (N, L)
        return x + self.table(index).type_as(x)
