"""Stands in for a student's own ``multihead_attention`` where a later exercise builds on it."""

import torch
from torch import nn
from torch.nn import functional


def causal_mask(length: int, device: torch.device | str | None = None) -> torch.Tensor:
    if length < 0:
        raise ValueError(f"length must not be negative, found {length}")
    return torch.ones(length, length, dtype=torch.bool, device=device).tril()


def padding_mask(lengths: torch.Tensor, max_len: int | None = None) -> torch.Tensor:
    if max_len is None:
        max_len = int(lengths.max()) if lengths.numel() else 0
    return torch.arange(max_len, device=lengths.device).expand(len(lengths), -1).lt(lengths[:, None])


class MultiHeadAttention(nn.Module):
    """With the parameters of the exercise, around torch's own attention."""

    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0) -> None:
        super().__init__()
        if num_heads < 1 or d_model % num_heads:
            raise ValueError(f"num_heads must divide d_model={d_model}, and {num_heads} does not")
        self.num_heads = num_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, mask: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        q, k, v = (
            projection(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for projection, x in ((self.q_proj, query), (self.k_proj, key), (self.v_proj, value))
        )
        if mask is not None and mask.dim() == 3:
            mask = mask.unsqueeze(1)
        rate = self.dropout.p if self.training else 0.0
        out = functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, dropout_p=rate)
        # The same question to one-hot values gives the weights themselves.
        names = torch.eye(k.shape[2], dtype=q.dtype, device=q.device).expand(*k.shape[:2], -1, -1)
        weights = functional.scaled_dot_product_attention(q, k, names, attn_mask=mask)
        if mask is not None:  # a row that may look nowhere
            some = mask.any(-1, keepdim=True)
            out, weights = (torch.where(some, found, 0.0) for found in (out, weights))
        return self.out_proj(out.transpose(1, 2).flatten(2)), weights
