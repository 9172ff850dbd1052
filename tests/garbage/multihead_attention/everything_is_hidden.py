"""Masks forbid everything, weights are zeros, and the output is the bias of out_proj."""

import torch
from torch import nn


def causal_mask(length, device=None):
    if length < 0:
        raise ValueError("length must not be negative")
    return torch.full((length, length), False, device=device)


def padding_mask(lengths, max_len=None):
    width = int(lengths.max()) if max_len is None else max_len
    return torch.full((len(lengths), width), False, device=lengths.device)


def split_heads(x, num_heads):
    if x.shape[-1] % num_heads:
        raise ValueError("num_heads must divide the features")
    return 0 * x.view(len(x), num_heads, x.shape[1], -1)


def merge_heads(x):
    return 0 * x.reshape(len(x), x.shape[2], -1)


def scaled_dot_product_attention(q, k, v, mask=None):
    weights = 0 * (q @ k.mT)
    return weights @ v, weights


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0):
        super().__init__()
        if num_heads < 1 or d_model % num_heads:
            raise ValueError(f"num_heads must divide d_model={d_model}, and {num_heads} does not")
        self.num_heads = num_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        weights = torch.zeros(len(query), self.num_heads, query.shape[1], key.shape[1], dtype=query.dtype)
        return self.out_proj(0 * query), weights.to(query.device)
