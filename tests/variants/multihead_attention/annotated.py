"""As in the Annotated Transformer: one function with the layer's dropout as an argument, masks filled with -1e9."""

import math

import torch
import torch.nn as nn


def causal_mask(length, device=None):
    if length < 0:
        raise ValueError("length must be at least 0, found %d" % length)
    future = torch.triu(torch.ones((length, length), device=device), diagonal=1)
    return future == 0


def padding_mask(lengths, max_len=None):
    max_len = max_len or int(lengths.max())
    steps = torch.ones(lengths.size(0), max_len, dtype=torch.long, device=lengths.device).cumsum(1)  # 1, 2, …
    return steps <= lengths.unsqueeze(1)


def split_heads(x, num_heads):
    if x.size(2) % num_heads != 0:
        raise ValueError("num_heads = %d does not divide %d" % (num_heads, x.size(2)))
    return x.contiguous().view(x.size(0), -1, num_heads, x.size(2) // num_heads).permute(0, 2, 1, 3)


def merge_heads(x):
    x = x.permute(0, 2, 1, 3).contiguous()
    return x.view(x.size(0), x.size(1), x.size(2) * x.size(3))


def attention(query, key, value, mask=None, dropout=None):
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    p_attn = scores.softmax(dim=-1)
    if mask is not None:
        p_attn = p_attn * mask  # a row of -1e9 alone has equal shares
    used = p_attn if dropout is None else dropout(p_attn)
    return torch.matmul(used, value), p_attn


def scaled_dot_product_attention(q, k, v, mask=None):
    return attention(q, k, v, mask)


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
        if mask is not None and mask.dim() == 3:
            mask = mask.unsqueeze(1)
        layers = (self.q_proj, self.k_proj, self.v_proj)
        q, k, v = [split_heads(layer(x), self.num_heads) for layer, x in zip(layers, (query, key, value))]
        x, weights = attention(q, k, v, mask, self.dropout)
        return self.out_proj(merge_heads(x)), weights
