"""Multi-head attention, vectorised over heads."""

import math

import torch
from torch import nn


def causal_mask(length: int, device: torch.device | str | None = None) -> torch.Tensor:
    if length < 0:
        raise ValueError(f"length must not be negative, not {length}")
    return torch.ones(length, length, dtype=torch.bool, device=device).tril()


def padding_mask(lengths: torch.Tensor, max_len: int | None = None) -> torch.Tensor:
    if max_len is None:
        max_len = int(lengths.max())
    positions = torch.arange(max_len, device=lengths.device)
    return positions[None, :] < lengths[:, None]


def split_heads(x: torch.Tensor, num_heads: int) -> torch.Tensor:
    n, length, d = x.shape
    if num_heads < 1 or d % num_heads != 0:
        raise ValueError(f"num_heads must divide {d}, and {num_heads} does not")
    return x.reshape(n, length, num_heads, d // num_heads).transpose(1, 2)


def merge_heads(x: torch.Tensor) -> torch.Tensor:
    n, heads, length, width = x.shape
    return x.transpose(1, 2).reshape(n, length, heads * width)


def scaled_dot_product_attention(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor | None = None
) -> tuple[torch.Tensor, torch.Tensor]:
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if mask is None:
        weights = scores.softmax(dim=-1)
    else:
        mask = mask.expand(scores.shape)
        empty = ~mask.any(dim=-1, keepdim=True)
        scores = scores.masked_fill(~mask, -math.inf).masked_fill(empty, 0.0)
        weights = scores.softmax(dim=-1).masked_fill(empty, 0.0)
    return weights @ v, weights


class MultiHeadAttention(nn.Module):
    """Project, split, attend in every head, merge, project."""

    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0) -> None:
        super().__init__()
        if num_heads < 1 or d_model % num_heads:
            raise ValueError(f"num_heads must divide d_model={d_model}, and {num_heads} does not")
        self.num_heads = num_heads
        self.q_proj = nn.Linear(d_model, d_model)  # for all heads at once: head h owns a run of D/H outputs
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, mask: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        q = split_heads(self.q_proj(query), self.num_heads)
        k = split_heads(self.k_proj(key), self.num_heads)
        v = split_heads(self.v_proj(value), self.num_heads)
        if mask is not None and mask.dim() == 3:
            mask = mask.unsqueeze(1)  # the same for all heads
        _, weights = scaled_dot_product_attention(q, k, v, mask)
        heads = self.dropout(weights) @ v
        return self.out_proj(merge_heads(heads)), weights
