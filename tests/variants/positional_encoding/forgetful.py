"""Rows are read off a float64 buffer and turned into what x is; the learned table is used without a lookup."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def angle_rates(d_model, base):
    pairs = torch.arange((d_model + 1) // 2, dtype=torch.float64)
    return torch.exp(-math.log(base) * 2 * pairs / d_model)


def sinusoidal_encoding(length, d_model, *, base=10000.0):
    if length < 0:
        raise ValueError(f"length={length}")
    angles = torch.arange(length, dtype=torch.float64).unsqueeze(1) * angle_rates(d_model, base)
    # a cosine is a sine that is a quarter of a turn ahead
    columns = angles.repeat_interleave(2, dim=1)[:, :d_model]
    quarter = (torch.arange(d_model) % 2) * (math.pi / 2)
    return torch.sin(columns + quarter).to(torch.float32)


def shift_matrix(offset, d_model, *, base=10000.0):
    if d_model % 2 == 1:
        raise ValueError(f"no shift for an odd d_model ({d_model})")
    angles = offset * angle_rates(d_model, base)
    cosines = torch.diag(angles.cos().repeat_interleave(2))
    sines = torch.zeros(d_model, dtype=torch.float64)
    sines[::2] = angles.sin()
    above = torch.diag(sines[:-1], 1)
    return cosines + above - above.T


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, dropout=0.0, max_len=5000):
        super().__init__()
        self.p = dropout
        self.max_len = max_len
        self.register_buffer("encoding", sinusoidal_encoding(max_len, d_model).double().unsqueeze(0))

    def forward(self, x):
        if x.size(1) > self.max_len:
            raise ValueError(f"sequence too long: max_len={self.max_len}")
        return F.dropout(x + self.encoding[:, : x.size(1)].type_as(x), self.p, self.training)


class LearnedPositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len):
        super().__init__()
        self.table = nn.Embedding(max_len, d_model)

    def forward(self, x):
        rows = self.table.weight
        if x.size(1) > rows.size(0):
            raise ValueError(f"sequence too long: max_len={rows.size(0)}")
        return x + rows[None, : x.size(1)].expand(len(x), -1, -1)
