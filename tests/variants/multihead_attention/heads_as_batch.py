"""Heads folded into the batch, (N*H, L, d), with bmm; masks repeated to fit; dropout drawn by hand."""

import math

import torch
from torch import nn


def causal_mask(length, device=None):
    if not length >= 0:
        raise ValueError(f"length={length}")
    return torch.full((length, length), True, device=device).tril_()


def padding_mask(lengths, max_len=None):
    if max_len is None:
        max_len = torch.max(lengths).item()
    positions = torch.arange(0, max_len, dtype=lengths.dtype, device=lengths.device)
    return positions[None].repeat(lengths.numel(), 1).lt(lengths.view(-1, 1))


def split_heads(x, num_heads):
    n, l, d = x.shape
    if d % num_heads:
        raise ValueError(f"num_heads={num_heads} does not divide {d}")
    return x.reshape(n, l, num_heads, d // num_heads).swapaxes(1, 2)


def merge_heads(x):
    n, h, l, d = x.shape
    return x.swapaxes(1, 2).reshape(n, l, h * d)


def _weights(q, k, mask):
    """(B, Lq, d), (B, Lk, d), bool (B, Lq, Lk) or None"""
    scores = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(q.shape[2])
    if mask is None:
        return torch.log_softmax(scores, dim=2).exp()
    bias = torch.zeros_like(scores).masked_fill_(~mask, -1e30)
    return torch.log_softmax(scores + bias, dim=2).exp() * mask


def _fold(x):
    return x.reshape(-1, *x.shape[-2:])


def scaled_dot_product_attention(q, k, v, mask=None):
    lead = q.shape[:-2]
    if mask is not None:
        mask = _fold(mask.expand(*lead, q.shape[-2], k.shape[-2]))
    weights = _weights(_fold(q), _fold(k), mask)
    out = torch.bmm(weights, _fold(v))
    return out.unflatten(0, lead), weights.unflatten(0, lead)


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

    def _mask(self, mask, n, lq, lk):
        if mask is None:
            return None
        if mask.dim() == 4:
            return _fold(mask.expand(n, self.num_heads, lq, lk))
        return mask.expand(n, lq, lk).repeat_interleave(self.num_heads, dim=0)

    def forward(self, query, key, value, mask=None):
        n, lq, _ = query.shape
        q = _fold(split_heads(self.q_proj(query), self.num_heads))
        k = _fold(split_heads(self.k_proj(key), self.num_heads))
        v = _fold(split_heads(self.v_proj(value), self.num_heads))
        weights = _weights(q, k, self._mask(mask, n, lq, key.shape[1]))
        used = weights
        if self.training and self.dropout.p:
            keep = 1 - self.dropout.p
            used = weights * torch.empty_like(weights).bernoulli_(keep) / keep
        out = torch.bmm(used, v).view(n, self.num_heads, lq, -1)
        return self.out_proj(merge_heads(out)), weights.view(n, self.num_heads, lq, -1)
