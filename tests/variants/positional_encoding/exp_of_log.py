"""Frequencies as exp(-log(base) · 2i / d), in float32 all along; a persistent buffer that is broadcast by None."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def div_term(d_model, base):
    return torch.exp(torch.arange(0, d_model, 2, dtype=torch.float) * (-math.log(base) / d_model))


def sinusoidal_encoding(length, d_model, *, base=10000.0):
    if not length >= 0:
        raise ValueError("length must be >= 0")
    pe = torch.zeros(length, d_model)
    position = torch.arange(0, length, dtype=torch.float).unsqueeze(1)
    term = div_term(d_model, base)
    pe[:, 0::2] = torch.sin(position * term)
    if d_model % 2 == 0:
        pe[:, 1::2] = torch.cos(position * term)
    else:
        pe[:, 1::2] = torch.cos(position * term[:-1])
    return pe


def shift_matrix(offset, d_model, *, base=10000.0):
    if d_model % 2 != 0:
        raise ValueError("d_model must be even")
    M = torch.zeros(d_model, d_model)
    phi = div_term(d_model, base) * offset
    even = torch.arange(0, d_model, 2)
    M[even, even] = torch.cos(phi)
    M[even + 1, even + 1] = torch.cos(phi)
    M[even, even + 1] = torch.sin(phi)
    M[even + 1, even] = -torch.sin(phi)
    return M


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, dropout=0.0, max_len=5000):
        super().__init__()
        self.p = dropout
        self.max_len = max_len
        self.register_buffer("pe", sinusoidal_encoding(max_len, d_model), persistent=True)

    def forward(self, x):
        L = x.size(1)
        if L > self.max_len:
            raise ValueError(f"L = {L} > max_len = {self.max_len}")
        return F.dropout(x + self.pe[None, :L, :].to(x.dtype), self.p, training=self.training)


class LearnedPositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len):
        super().__init__()
        self.table = nn.Embedding(max_len, d_model)

    def forward(self, x):
        L = x.size(1)
        if L > self.table.num_embeddings:
            raise ValueError(f"L = {L} > max_len = {self.table.num_embeddings}")
        return x + self.table.weight[:L]
