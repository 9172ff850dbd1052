"""The mask becomes a number that is added to the scores; each item of the batch goes through the layer by itself."""

import torch
import torch.nn.functional as F
from torch import nn


def causal_mask(length, device=None):
    if length < 0:
        raise ValueError(f"a length of {length} is negative")
    steps = torch.arange(length, device=device)
    return torch.le(steps.unsqueeze(0), steps.unsqueeze(1))


def padding_mask(lengths, max_len=None):
    width = max_len if max_len is not None else lengths.amax().item()
    return torch.stack([torch.arange(width, device=lengths.device) < length for length in lengths])


def split_heads(x, num_heads):
    if x.shape[-1] % num_heads:
        raise ValueError(f"{num_heads=} does not divide {x.shape[-1]} features")
    return x.unflatten(-1, (num_heads, -1)).movedim(2, 1)


def merge_heads(x):
    return x.movedim(1, 2).flatten(2)


def weigh(q, k, mask):
    scores = torch.matmul(q, k.mT) * q.shape[-1] ** -0.5
    if mask is None:
        return torch.softmax(scores, -1)
    bias = torch.zeros_like(scores).masked_fill(~mask, -1e12)
    return torch.softmax(scores + bias, -1) * mask.any(-1, keepdim=True)


def scaled_dot_product_attention(q, k, v, mask=None):
    weights = weigh(q, k, mask)
    return torch.einsum("...qk,...kv->...qv", weights, v), weights


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
        outs, maps = [], []
        for n in range(query.shape[0]):
            q, k, v = (
                split_heads(project(x[n : n + 1]), self.num_heads)[0]  # (H, L, d)
                for project, x in ((self.q_proj, query), (self.k_proj, key), (self.v_proj, value))
            )
            own = mask if mask is None or mask.dim() == 2 else mask[n]  # (Lq, Lk) or (H, Lq, Lk)
            weights = weigh(q, k, own)
            heads = F.dropout(weights, self.dropout.p, self.training) @ v
            outs.append(merge_heads(heads[None])[0])
            maps.append(weights)
        return self.out_proj(torch.stack(outs)), torch.stack(maps)
