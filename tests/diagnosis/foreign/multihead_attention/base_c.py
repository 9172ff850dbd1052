"""Multi-head attention with einsum; split and merge by unflatten and permute."""

import torch
from torch import nn


def causal_mask(length: int, device: torch.device | str | None = None) -> torch.Tensor:
    if length < 0:
        raise ValueError(f"length={length}: a negative length makes no sense")
    future = torch.triu(torch.ones((length, length), dtype=torch.bool, device=device), diagonal=1)
    return ~future


def padding_mask(lengths: torch.Tensor, max_len: int | None = None) -> torch.Tensor:
    if max_len is None:
        max_len = int(lengths.amax())
    return torch.arange(max_len, device=lengths.device).expand(len(lengths), -1) < lengths.unsqueeze(-1)


def split_heads(x: torch.Tensor, num_heads: int) -> torch.Tensor:
    if num_heads < 1 or x.shape[-1] % num_heads:
        raise ValueError(f"num_heads={num_heads} does not divide {x.shape[-1]}")
    return x.unflatten(-1, (num_heads, x.shape[-1] // num_heads)).permute(0, 2, 1, 3)


def merge_heads(x: torch.Tensor) -> torch.Tensor:
    return x.permute(0, 2, 1, 3).flatten(2)


def _masked_softmax(scores, mask):
    if mask is None:
        return scores.softmax(-1)
    anything = mask.any(-1, keepdim=True)
    filled = torch.where(mask | ~anything, scores, -torch.inf)
    return torch.where(mask, filled.softmax(-1), 0.0)


def scaled_dot_product_attention(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor | None = None
) -> tuple[torch.Tensor, torch.Tensor]:
    scores = torch.einsum("nhqd,nhkd->nhqk", q, k) * k.shape[-1] ** -0.5
    weights = _masked_softmax(scores, mask)
    return torch.einsum("nhqk,nhkd->nhqd", weights, v), weights


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
        q, k, v = (
            split_heads(proj(x), self.num_heads)
            for proj, x in ((self.q_proj, query), (self.k_proj, key), (self.v_proj, value))
        )
        if mask is not None:
            if mask.dim() == 2:
                mask = mask[None, None]
            elif mask.dim() == 3:
                mask = mask[:, None]
        weights = scaled_dot_product_attention(q, k, v, mask)[1]
        context = torch.einsum("nhqk,nhkd->nhqd", self.dropout(weights), v)
        return self.out_proj(merge_heads(context)), weights
