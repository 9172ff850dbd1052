"""Runs torch's own source as text, so that no forbidden name is called."""

import inspect

import torch
from torch import nn

F = torch.nn.functional
space = dict(vars(F))
exec(inspect.getsource(getattr(F, "multi_head_" + "attention_forward")).replace("multi_head", "my"), space)
attention = space["my_attention_forward"]


def causal_mask(length, device=None):
    if length < 0:
        raise ValueError("length must not be negative")
    return torch.ones(length, length, device=device).tril().bool()


def padding_mask(lengths, max_len=None):
    return torch.arange(max_len or int(lengths.max()), device=lengths.device) < lengths[:, None]


def split_heads(x, num_heads):
    n, length, d = x.shape
    if d % num_heads:
        raise ValueError("num_heads must divide d_model")
    return x.reshape(n, length, num_heads, d // num_heads).transpose(1, 2)


def merge_heads(x):
    return x.transpose(1, 2).flatten(2)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0):
        super().__init__()
        self.num_heads = num_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        if mask is not None and mask.dim() == 3:
            mask = mask.repeat_interleave(self.num_heads, 0)
        elif mask is not None and mask.dim() == 4:
            mask = mask.flatten(0, 1)
        out, weights = attention(
            query.transpose(0, 1), key.transpose(0, 1), value.transpose(0, 1), query.shape[-1], self.num_heads,
            torch.cat([self.q_proj.weight, self.k_proj.weight, self.v_proj.weight]),
            torch.cat([self.q_proj.bias, self.k_proj.bias, self.v_proj.bias]), None, None, False,
            self.dropout.p, self.out_proj.weight, self.out_proj.bias, training=self.training,
            attn_mask=None if mask is None else ~mask, average_attn_weights=False,
        )  # fmt: skip
        return out.transpose(0, 1), weights
