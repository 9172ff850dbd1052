"""No split at all inside the module: the projections keep (N, L, H, d) and einsum names the axes."""

import torch
from torch import nn


def causal_mask(length, device=None):
    if length < 0:
        raise ValueError("length < 0")
    i = torch.arange(length, device=device)
    return i[:, None] >= i[None, :]


def padding_mask(lengths, max_len=None):
    L = lengths.max().item() if max_len is None else max_len
    return torch.arange(L, device=lengths.device).expand(len(lengths), L) < lengths.unsqueeze(1)


def split_heads(x, num_heads):
    if x.size(-1) % num_heads != 0:
        raise ValueError("num_heads has to divide the last dimension")
    return torch.einsum("nlhd->nhld", x.view(*x.shape[:2], num_heads, -1))


def merge_heads(x):
    return torch.einsum("nhld->nlhd", x).flatten(start_dim=-2)


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = torch.einsum("...qd,...kd->...qk", q, k) * q.size(-1) ** -0.5
    if mask is not None:
        scores = scores.masked_fill(mask.logical_not(), float("-inf"))
    weights = torch.nan_to_num(torch.softmax(scores, dim=-1), nan=0.0)
    return torch.einsum("...qk,...kd->...qd", weights, v), weights


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
        H = self.num_heads
        q = self.q_proj(query).unflatten(-1, (H, -1))
        k = self.k_proj(key).unflatten(-1, (H, -1))
        v = self.v_proj(value).unflatten(-1, (H, -1))
        scores = torch.einsum("nqhd,nkhd->nhqk", q, k) / (q.shape[-1] ** 0.5)
        if mask is not None:
            if mask.ndim == 3:
                mask = mask[:, None]
            scores = scores.masked_fill(~mask, -torch.inf)
        weights = scores.softmax(-1)
        if mask is not None:
            weights = weights.nan_to_num(0.0)
        out = torch.einsum("nhqk,nkhd->nqhd", self.dropout(weights), v)
        return self.out_proj(out.reshape(*out.shape[:2], -1)), weights
