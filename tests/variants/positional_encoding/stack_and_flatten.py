"""Sine and cosine stacked on a new last axis, then flattened; the shift by a Kronecker-like einsum; F.embedding."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def _angles(positions: Tensor, d_model: int, base: float) -> Tensor:
    pairs = torch.arange(-(-d_model // 2))
    return positions.unsqueeze(-1) / base ** (2 * pairs / d_model)


def sinusoidal_encoding(length: int, d_model: int, *, base: float = 10000.0) -> Tensor:
    if length < 0:
        raise ValueError(f"length must be non-negative, got {length}")
    angles = _angles(torch.arange(length), d_model, base)
    interleaved = torch.stack((angles.sin(), angles.cos()), dim=2).flatten(start_dim=1)
    return interleaved[:, :d_model].contiguous()


def shift_matrix(offset: int, d_model: int, *, base: float = 10000.0) -> Tensor:
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    angles = _angles(torch.tensor(offset), d_model, base)
    same = torch.eye(2)
    turn = torch.tensor([[0.0, 1.0], [-1.0, 0.0]])
    blocks = angles.cos()[:, None, None] * same + angles.sin()[:, None, None] * turn
    return torch.einsum("pij,pq->piqj", blocks, torch.eye(d_model // 2)).reshape(d_model, d_model)


class PositionalEncoding(nn.Module):
    pe: Tensor

    def __init__(self, d_model: int, dropout: float = 0.0, max_len: int = 5000) -> None:
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        pe = sinusoidal_encoding(max_len, d_model)
        self.register_buffer("pe", pe[None])

    def forward(self, x: Tensor) -> Tensor:
        _, length, _ = x.shape
        max_len = self.pe.shape[1]
        if length > max_len:
            raise ValueError(f"sequence length {length} exceeds max_len {max_len}")
        return self.dropout(x + self.pe[:, :length].expand_as(x))


class LearnedPositionalEncoding(nn.Module):
    def __init__(self, d_model: int, max_len: int) -> None:
        super().__init__()
        self.table = nn.Embedding(max_len, d_model)

    def forward(self, x: Tensor) -> Tensor:
        length, max_len = x.size(1), self.table.num_embeddings
        if length > max_len:
            raise ValueError(f"sequence length {length} exceeds max_len {max_len}")
        ids = x.new_ones(x.shape[:2]).cumsum(dim=1).long() - 1
        return x + F.embedding(ids, self.table.weight)
