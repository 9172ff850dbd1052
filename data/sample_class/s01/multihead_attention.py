"""One head after the other, one query after the other: slow, plain, right."""

import math

import torch
import torch.nn as nn


def causal_mask(length, device=None):
    if length < 0:
        raise ValueError(f"negative length {length}")
    mask = torch.zeros(length, length, dtype=torch.bool, device=device)
    for t in range(length):
        mask[t, : t + 1] = True
    return mask


def padding_mask(lengths, max_len=None):
    sizes = [int(l) for l in lengths]
    if max_len is None:
        max_len = max(sizes)
    mask = torch.zeros(len(sizes), max_len, dtype=torch.bool, device=lengths.device)
    for n, size in enumerate(sizes):
        mask[n, :size] = True
    return mask


def split_heads(x, num_heads):
    N, L, D = x.shape
    if D % num_heads:
        raise ValueError("num_heads must divide d_model")
    return torch.stack(x.chunk(num_heads, dim=2), dim=1)


def merge_heads(x):
    return torch.cat(list(x.unbind(dim=1)), dim=2)


def scaled_dot_product_attention(q, k, v, mask=None):
    d = q.shape[-1]
    shape = q.shape[:-1] + k.shape[-2:-1]
    if mask is not None:
        mask = mask.expand(shape)
    rows = []
    for i in range(q.shape[-2]):
        scores = (q[..., i : i + 1, :] * k).sum(-1) / math.sqrt(d)
        if mask is None:
            rows.append(torch.softmax(scores, dim=-1))
        else:
            allowed = mask[..., i, :]
            alive = allowed.any(dim=-1, keepdim=True)
            # open the rows that would be empty, close them again after the softmax
            scores = torch.where(allowed | ~alive, scores, torch.full_like(scores, -math.inf))
            rows.append(torch.softmax(scores, dim=-1) * alive)
    weights = torch.stack(rows, dim=-2)
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
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        q, k, v = self.q_proj(query), self.k_proj(key), self.v_proj(value)
        size = q.shape[2] // self.num_heads
        answers, maps = [], []
        for h in range(self.num_heads):
            part = slice(h * size, (h + 1) * size)
            if mask is not None and mask.dim() == 4:
                mask_h = mask[:, min(h, mask.shape[1] - 1)]  # one mask may serve all heads
            else:
                mask_h = mask
            _, w = scaled_dot_product_attention(q[:, :, part], k[:, :, part], v[:, :, part], mask_h)
            answers.append(self.dropout(w) @ v[:, :, part])
            maps.append(w)
        return self.out_proj(torch.cat(answers, dim=-1)), torch.stack(maps, dim=1)
