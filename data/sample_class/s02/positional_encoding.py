"""A pair is one complex number i·conj(e^{iωp}) = sin + i cos, and a shift is a multiplication by e^{-iωk}."""

import torch
from torch import nn


def _omega(d_model, base):
    steps = torch.arange((d_model + 1) // 2, dtype=torch.float64)
    return torch.pow(torch.tensor(base, dtype=torch.float64), -2 * steps / d_model)


def sinusoidal_encoding(length, d_model, *, base=10000.0):
    if length < 0:
        raise ValueError(f"length must be at least 0 (found {length})")
    phase = torch.outer(torch.arange(length, dtype=torch.float64), _omega(d_model, base))
    circle = torch.polar(torch.ones_like(phase), torch.pi / 2 - phase)  # sin + i cos
    return torch.view_as_real(circle).flatten(1)[:, :d_model].float()


def shift_matrix(offset, d_model, *, base=10000.0):
    if d_model % 2:
        raise ValueError(f"no shift for the odd d_model {d_model}")
    # Its columns: what becomes of each unit vector.
    units = torch.view_as_complex(torch.eye(d_model, dtype=torch.float64).reshape(d_model, d_model // 2, 2))
    phase = -offset * _omega(d_model, base)
    moved = units * torch.polar(torch.ones_like(phase), phase)
    return torch.view_as_real(moved).reshape(d_model, d_model).T


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, dropout=0.0, max_len=5000):
        super().__init__()
        self.register_buffer("rows", sinusoidal_encoding(max_len, d_model), persistent=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        if x.shape[-2] > len(self.rows):
            raise ValueError(f"input longer than max_len ({x.shape[-2]} > {len(self.rows)})")
        return self.dropout(torch.add(x, self.rows.narrow(0, 0, x.shape[-2])))


class LearnedPositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len):
        super().__init__()
        self.table = nn.Embedding(max_len, d_model)

    def forward(self, x):
        if x.shape[-2] > len(self.table.weight):
            raise ValueError(f"input longer than max_len ({x.shape[-2]} > {len(self.table.weight)})")
        return x + self.table.weight.narrow(0, 0, x.shape[-2])
