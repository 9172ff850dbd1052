"""numpy makes the table and the matrix, torch.from_numpy brings them over; the buffer has a batch axis."""

import numpy as np
import torch
from torch import nn


def sinusoidal_encoding(length, d_model, *, base=10000.0):
    if length < 0:
        raise ValueError(f"length={length}")
    pos = np.arange(length)[:, np.newaxis]
    i = np.arange(d_model)[np.newaxis, :]
    angle = pos / np.power(base, (2 * (i // 2)) / d_model)
    angle[:, 0::2] = np.sin(angle[:, 0::2])
    angle[:, 1::2] = np.cos(angle[:, 1::2])
    return torch.from_numpy(angle.astype(np.float32))


def shift_matrix(offset, d_model, *, base=10000.0):
    if d_model % 2 == 1:
        raise ValueError(f"d_model={d_model} is odd")
    matrix = np.zeros((d_model, d_model))
    for i in range(0, d_model, 2):
        w = 1 / base ** (i / d_model)
        c, s = np.cos(w * offset), np.sin(w * offset)
        matrix[i : i + 2, i : i + 2] = [[c, s], [-s, c]]
    return torch.from_numpy(matrix)  # float64


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, dropout=0.0, max_len=5000):
        super().__init__()
        self.drop = nn.Dropout(p=dropout)
        self.register_buffer("pe", sinusoidal_encoding(max_len, d_model).unsqueeze(0))

    def forward(self, x):
        if x.size(1) > self.pe.size(1):
            raise ValueError(f"sequence of length {x.size(1)} is longer than max_len={self.pe.size(1)}")
        x = x + self.pe[:, : x.size(1)]
        return self.drop(x)


class LearnedPositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len):
        super().__init__()
        self.table = nn.Embedding(max_len, d_model)

    def forward(self, x):
        n, l, _ = x.shape
        if l > self.table.weight.shape[0]:
            raise ValueError("max_len exceeded")
        ids = torch.arange(l).to(x.device).unsqueeze(0).expand(n, l)
        return self.table(ids) + x
