"""Both modules look positions up with F.embedding; the sines stand in a list of columns, the shift in a loop."""

import math

import torch
from torch import nn
from torch.nn import functional as F


def sinusoidal_encoding(length, d_model, *, base=10000.0):
    if length < 0:
        raise ValueError("length has to be 0 or more")
    pos = torch.arange(0, length, dtype=torch.float)
    columns = []
    for column in range(d_model):
        angle = pos / math.pow(base, (column // 2) * 2 / d_model)
        columns.append(torch.cos(angle) if column % 2 else torch.sin(angle))
    return torch.stack(columns, dim=-1)


def shift_matrix(offset, d_model, *, base=10000.0):
    if d_model % 2:
        raise ValueError("d_model has to be even")
    matrix = torch.zeros(d_model, d_model)
    for row in range(0, d_model, 2):
        angle = offset / base ** (row / d_model)
        cos, sin = math.cos(angle), math.sin(angle)
        matrix[row : row + 2, row : row + 2] = torch.tensor([[cos, sin], [-sin, cos]])
    return matrix


def positions_of(x, max_len):
    if x.shape[1] > max_len:
        raise ValueError(f"max_len is only {max_len}")
    return torch.arange(x.shape[1], device=x.device).repeat(x.shape[0], 1)  # (N, L)


class PositionalEncoding(nn.Module):
    pe: torch.Tensor

    def __init__(self, d_model, dropout=0.0, max_len=5000):
        super().__init__()
        self.drop = nn.Dropout(p=dropout)
        self.register_buffer("pe", sinusoidal_encoding(max_len, d_model))

    def forward(self, x):
        rows = F.embedding(positions_of(x, self.pe.shape[0]), self.pe)  # (N, L, D)
        return self.drop(x + rows)


class LearnedPositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len):
        super().__init__()
        self.table = nn.Embedding(max_len, d_model)

    def forward(self, x):
        return x + self.table(positions_of(x, self.table.num_embeddings))
