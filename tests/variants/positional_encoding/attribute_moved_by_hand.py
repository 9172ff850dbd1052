"""A plain attribute, brought to the device and dtype of x in every call: not the best way, but a right one."""

import math

import torch
from torch import nn


def sinusoidal_encoding(length, d_model, *, base=10000.0):
    if length < 0:
        raise ValueError("length")
    exponent = torch.tensor([(c // 2) * 2 / d_model for c in range(d_model)])
    phase = torch.tensor([(c % 2) * math.pi / 2 for c in range(d_model)], dtype=torch.float64)
    rates = torch.exp(-math.log(base) * exponent.double())
    return (torch.arange(length).double().outer(rates) + phase).sin().to(torch.float32)


def shift_matrix(offset, d_model, *, base=10000.0):
    if d_model % 2 > 0:
        raise ValueError("d_model")
    pairs = []
    for i in range(d_model // 2):
        w = math.exp(-math.log(base) * 2 * i / d_model)
        # the rotation as a matrix exponential of its generator
        pairs.append(torch.matrix_exp(torch.tensor([[0.0, w * offset], [-w * offset, 0.0]], dtype=torch.float64)))
    return torch.block_diag(*pairs).float()


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, dropout=0.0, max_len=5000):
        super().__init__()
        self.pe = sinusoidal_encoding(max_len, d_model).double()
        self.dropout = dropout

    def forward(self, x):
        n, l, d = x.shape
        if l > len(self.pe):
            raise ValueError(f"{l} positions exceed max_len {len(self.pe)}")
        y = x + self.pe[:l].to(device=x.device, dtype=x.dtype)
        if self.training and self.dropout > 0:
            keep = torch.rand_like(y) >= self.dropout
            y = y * keep / (1 - self.dropout)
        return y


class LearnedPositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len):
        super().__init__()
        self.table = nn.Embedding(max_len, d_model)

    def forward(self, x):
        n, l, d = x.shape
        try:
            rows = self.table(torch.arange(l, device=x.device))
        except (IndexError, RuntimeError):
            raise ValueError(f"{l} positions exceed max_len") from None
        return x + rows[None].repeat(n, 1, 1)
