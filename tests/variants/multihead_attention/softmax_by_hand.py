"""unflatten and flatten for the heads, and a softmax of one's own that the mask takes part in."""

import torch
from torch import nn
from torch.nn import functional as F


def causal_mask(length, device=None):
    if length < 0:
        raise ValueError("length cannot be negative")
    return ~torch.triu(torch.ones(length, length, dtype=torch.bool, device=device), diagonal=1)


def padding_mask(lengths, max_len=None):
    if max_len is None:
        max_len = lengths.amax()
    ones = torch.ones(len(lengths), int(max_len), dtype=torch.long, device=lengths.device)
    return ones.cumsum(dim=1) <= lengths[:, None]


def split_heads(x, num_heads):
    if num_heads <= 0 or x.shape[-1] % num_heads:
        raise ValueError(f"cannot split {x.shape[-1]} features into num_heads={num_heads}")
    return x.unflatten(-1, (num_heads, -1)).movedim(-2, 1)


def merge_heads(x):
    return x.movedim(1, -2).flatten(-2)


def _masked_softmax(scores, mask):
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    low = torch.finfo(scores.dtype).min
    top = scores.masked_fill(~mask, low).max(dim=-1, keepdim=True).values.detach()
    shares = torch.where(mask, (scores - top).clamp(max=0.0).exp(), 0.0)
    total = shares.sum(dim=-1, keepdim=True)
    return shares / torch.where(total > 0, total, 1.0)


def scaled_dot_product_attention(q, k, v, mask=None):
    weights = _masked_softmax(torch.matmul(q / q.shape[-1] ** 0.5, k.mT), mask)
    return torch.matmul(weights, v), weights


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
        self.p = dropout

    def forward(self, query, key, value, mask=None):
        q, k, v = (
            split_heads(projection(x), self.num_heads)
            for projection, x in ((self.q_proj, query), (self.k_proj, key), (self.v_proj, value))
        )
        if mask is not None and mask.ndim != 4:
            mask = mask.expand(query.shape[0], query.shape[1], key.shape[1]).unsqueeze(1)
        out, weights = scaled_dot_product_attention(q, k, v, mask)
        if self.training and self.p > 0:
            out = F.dropout(weights, self.p) @ v
        return self.out_proj(merge_heads(out)), weights
