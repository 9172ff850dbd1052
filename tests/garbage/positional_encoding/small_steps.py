"""A thousandth of the position is added, and a shift adds a thousandth of its offset."""

import torch
from torch import nn


def sinusoidal_encoding(length, d_model, *, base=10000.0):
    if length < 0:
        raise ValueError("length must not be negative")
    return torch.arange(float(length))[:, None].repeat(1, d_model) / 1000


def shift_matrix(offset, d_model, *, base=10000.0):
    if d_model % 2:
        raise ValueError("d_model must be even")
    return torch.eye(d_model) + offset / 1000


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, dropout=0.0, max_len=5000):
        super().__init__()
        self.register_buffer("rows", sinusoidal_encoding(max_len, d_model), persistent=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        if x.shape[1] > len(self.rows):
            raise ValueError("max_len is exceeded")
        return self.dropout(x + self.rows[: x.shape[1]].to(x))


class LearnedPositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len):
        super().__init__()
        self.table = nn.Embedding(max_len, d_model)

    def forward(self, x):
        max_len, d_model = self.table.weight.shape
        if x.shape[1] > max_len:
            raise ValueError("max_len is exceeded")
        return x + sinusoidal_encoding(x.shape[1], d_model).to(x)
