"""A head as a small object that holds its rows of the projections; additive masks; heads mapped over."""

import torch
import torch.nn as nn
import torch.nn.functional as F


def causal_mask(length: int, device=None):
    if length < 0:
        raise ValueError(f"length should be non-negative, got {length}")
    rows = [[s <= t for s in range(length)] for t in range(length)]
    return torch.tensor(rows, dtype=torch.bool, device=device).reshape(length, length)


def padding_mask(lengths, max_len=None):
    if max_len is None:
        max_len = max(lengths.tolist())
    rows = [[True] * l + [False] * (max_len - l) for l in lengths.tolist()]
    return torch.tensor(rows, dtype=torch.bool, device=lengths.device)


def split_heads(x, num_heads):
    d = x.shape[-1]
    if d % num_heads != 0:
        raise ValueError(f"d_model {d} is not divisible by num_heads {num_heads}")
    size = d // num_heads
    return torch.stack([x[..., h * size : (h + 1) * size] for h in range(num_heads)], 1)


def merge_heads(x):
    return torch.cat([x[:, h] for h in range(x.size(1))], dim=-1)


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = (q @ k.transpose(-1, -2)).div(torch.tensor(float(q.shape[-1]), dtype=q.dtype).sqrt().item())
    if mask is None:
        weights = F.softmax(scores, -1)
    else:
        allowed = mask.to(scores.dtype)
        weights = F.softmax(scores * allowed + (1 - allowed) * torch.finfo(scores.dtype).min, -1)
        weights = weights * allowed
    return weights @ v, weights


class Head:
    def __init__(self, layer, index, size):
        self.layer, self.own = layer, slice(index * size, (index + 1) * size)

    def project(self, linear, x):
        return F.linear(x, linear.weight[self.own], linear.bias[self.own])

    def __call__(self, query, key, value, mask):
        q = self.project(self.layer.q_proj, query)
        k = self.project(self.layer.k_proj, key)
        v = self.project(self.layer.v_proj, value)
        out, weights = scaled_dot_product_attention(q, k, v, mask)
        return self.layer.dropout(weights) @ v, weights


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
        size = query.shape[-1] // self.num_heads
        outs, weights = [], []
        for index in range(self.num_heads):
            own_mask = mask[:, index] if mask is not None and mask.dim() == 4 else mask
            out, w = Head(self, index, size)(query, key, value, own_mask)
            outs.append(out)
            weights.append(w)
        return self.out_proj(torch.cat(outs, -1)), torch.stack(weights, 1)
