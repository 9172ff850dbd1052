"""F.scaled_dot_product_attention computes the output; the weights, which it keeps to itself, are computed beside it."""

import torch
import torch.nn.functional as F
from torch import nn


def causal_mask(length, device=None):
    if length < 0:
        raise ValueError("length must be >= 0")
    return torch.tril(torch.ones((length, length), device=device)).bool()


def padding_mask(lengths, max_len=None):
    max_len = max_len if max_len is not None else int(lengths.max())
    return torch.arange(max_len).to(lengths.device).unsqueeze(0) < lengths.unsqueeze(1)


def split_heads(x, num_heads):
    N, L, D = x.size()
    if D % num_heads != 0:
        raise ValueError(f"num_heads={num_heads} must divide {D}")
    return x.view(N, L, num_heads, D // num_heads).permute(0, 2, 1, 3).contiguous()


def merge_heads(x):
    N, H, L, d = x.size()
    return x.permute(0, 2, 1, 3).contiguous().view(N, L, H * d)


def _attend(q, k, v, mask, dropout_p):
    scale = q.size(-1) ** 0.5
    if mask is None:
        weights = F.softmax(torch.matmul(q, k.transpose(-1, -2)) / scale, dim=-1)
        return F.scaled_dot_product_attention(q, k, v, dropout_p=dropout_p), weights
    # Both would make NaN of a row that is masked throughout: let it see everything, and take it out after.
    alive = mask.any(dim=-1, keepdim=True)
    safe = mask | ~alive
    out = F.scaled_dot_product_attention(q, k, v, attn_mask=safe, dropout_p=dropout_p)
    scores = torch.matmul(q, k.transpose(-1, -2)) / scale
    weights = F.softmax(scores.masked_fill(~safe, float("-inf")), dim=-1)
    return out.masked_fill(~alive, 0.0), weights.masked_fill(~alive, 0.0)


def scaled_dot_product_attention(q, k, v, mask=None):
    return _attend(q, k, v, mask, 0.0)


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
        q = split_heads(self.q_proj(query), self.num_heads)
        k = split_heads(self.k_proj(key), self.num_heads)
        v = split_heads(self.v_proj(value), self.num_heads)
        if mask is not None:
            while mask.dim() < 4:
                mask = mask.unsqueeze(-3)
        out, weights = _attend(q, k, v, mask, self.dropout.p if self.training else 0.0)
        return self.out_proj(merge_heads(out)), weights
