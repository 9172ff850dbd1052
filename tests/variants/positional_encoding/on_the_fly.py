"""No table is kept: each call computes the rows it needs, where x lives and as precisely as x."""

import torch
from torch import nn


def encode(positions, d_model, base):
    i = torch.arange(d_model, device=positions.device)
    rate = base ** (-(i - i % 2).to(positions.dtype) / d_model)
    # A cosine is a sine that is a quarter of a turn ahead.
    return torch.sin(positions[:, None] * rate + (i % 2) * (torch.pi / 2))


def sinusoidal_encoding(length, d_model, *, base=10000.0):
    if length < 0:
        raise ValueError(f"length: {length} < 0")
    return encode(torch.arange(length, dtype=torch.float64), d_model, base).float()


def shift_matrix(offset, d_model, *, base=10000.0):
    if d_model & 1:
        raise ValueError(f"d_model: {d_model} is odd")
    # The matrix is what solves PE[offset + p] = M PE[p]: per pair a rotation, read off the encoding of the offset.
    pe = encode(torch.tensor([float(offset)], dtype=torch.float64), d_model, base)[0]
    sin, cos = pe[0::2], pe[1::2]
    blocks = [torch.tensor([[c, s], [-s, c]]) for s, c in zip(sin.tolist(), cos.tolist())]
    return torch.block_diag(*blocks)


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, dropout=0.0, max_len=5000):
        super().__init__()
        self.d_model, self.max_len = d_model, max_len
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        length = x.shape[1]
        if length > self.max_len:
            raise ValueError(f"max_len: {length} > {self.max_len}")
        positions = torch.arange(length, dtype=x.dtype, device=x.device)
        return self.dropout(x + encode(positions, self.d_model, 10000.0))


class LearnedPositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len):
        super().__init__()
        self.table = nn.Embedding(max_len, d_model)

    def forward(self, x):
        length = x.shape[1]
        if length > self.table.num_embeddings:
            raise ValueError(f"max_len: {length} > {self.table.num_embeddings}")
        one_hot = torch.eye(self.table.num_embeddings, dtype=self.table.weight.dtype, device=x.device)[:length]
        return x + one_hot @ self.table.weight
