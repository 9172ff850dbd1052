"""No vectors at all: math.sin in two loops, and torch.tensor of the lists."""

import math

import torch
from torch import nn


def angle(position, column, d_model, base):
    i = column // 2
    return position / (base ** (2 * i / d_model))


def sinusoidal_encoding(length, d_model, *, base=10000.0):
    if length < 0:
        raise ValueError("length is negative: " + str(length))
    table = []
    for pos in range(length):
        row = []
        for col in range(d_model):
            a = angle(pos, col, d_model, base)
            if col % 2 == 0:
                row.append(math.sin(a))
            else:
                row.append(math.cos(a))
        table.append(row)
    return torch.tensor(table, dtype=torch.float32).reshape(length, d_model)


def shift_matrix(offset, d_model, *, base=10000.0):
    if d_model % 2:
        raise ValueError("d_model is odd: " + str(d_model))
    rows = [[0.0] * d_model for _ in range(d_model)]
    for col in range(0, d_model, 2):
        a = angle(offset, col, d_model, base)
        rows[col][col] = math.cos(a)
        rows[col][col + 1] = math.sin(a)
        rows[col + 1][col] = -math.sin(a)
        rows[col + 1][col + 1] = math.cos(a)
    return torch.tensor(rows)


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, dropout=0.0, max_len=5000):
        super().__init__()
        self.max_len = max_len
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("encoding", sinusoidal_encoding(max_len, d_model))

    def forward(self, x):
        if x.shape[1] > self.max_len:
            raise ValueError(f"max_len is {self.max_len}, the input has {x.shape[1]}")
        result = x.clone()
        for position in range(x.shape[1]):
            result[:, position] += self.encoding[position]
        return self.dropout(result)


class LearnedPositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len):
        super().__init__()
        self.table = nn.Embedding(max_len, d_model)
        self.max_len = max_len

    def forward(self, x):
        if x.shape[1] > self.max_len:
            raise ValueError(f"max_len is {self.max_len}, the input has {x.shape[1]}")
        rows = []
        for position in range(x.shape[1]):
            index = torch.tensor(position, device=self.table.weight.device)
            rows.append(x[:, position] + self.table(index))
        return torch.stack(rows, dim=1)
