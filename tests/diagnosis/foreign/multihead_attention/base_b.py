"""Multi-head attention, with a loop over the heads and a softmax by hand."""

import torch
from torch import nn


def causal_mask(length: int, device: torch.device | str | None = None) -> torch.Tensor:
    if length < 0:
        raise ValueError("length is negative")
    position = torch.arange(length, device=device)
    return position.unsqueeze(0) <= position.unsqueeze(1)


def padding_mask(lengths: torch.Tensor, max_len: int | None = None) -> torch.Tensor:
    width = lengths.max().item() if max_len is None else max_len
    mask = torch.zeros(len(lengths), width, dtype=torch.bool, device=lengths.device)
    for n, length in enumerate(lengths.tolist()):
        mask[n, :length] = True
    return mask


def split_heads(x: torch.Tensor, num_heads: int) -> torch.Tensor:
    d = x.size(2)
    if num_heads <= 0 or d % num_heads:
        raise ValueError("num_heads does not divide the features")
    size = d // num_heads
    heads = []
    for h in range(num_heads):
        heads.append(x[:, :, h * size : (h + 1) * size])
    return torch.stack(heads, dim=1)


def merge_heads(x: torch.Tensor) -> torch.Tensor:
    return torch.cat([x[:, h] for h in range(x.size(1))], dim=2)


def scaled_dot_product_attention(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor | None = None
) -> tuple[torch.Tensor, torch.Tensor]:
    d_k = q.size(-1)
    scores = torch.matmul(q, k.transpose(2, 3)) / d_k**0.5
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    mask = mask.expand_as(scores)
    low = torch.finfo(scores.dtype).min
    top = scores.masked_fill(~mask, low).max(dim=-1, keepdim=True).values.detach()
    powers = torch.exp((scores - top).masked_fill(~mask, 0.0)) * mask
    total = powers.sum(dim=-1, keepdim=True)
    weights = powers / total.masked_fill(total == 0, 1.0)
    return torch.matmul(weights, v), weights


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
        shape = (query.size(0), self.num_heads, query.size(1), key.size(1))
        if mask is not None:
            if mask.dim() == 3:
                mask = mask[:, None]
            mask = mask.expand(shape)
        outs, shares = [], []
        for h in range(self.num_heads):
            own_mask = None if mask is None else mask[:, h : h + 1]
            _, weights = scaled_dot_product_attention(
                q[:, h : h + 1], k[:, h : h + 1], v[:, h : h + 1], own_mask
            )
            shares.append(weights)
            outs.append(torch.matmul(self.dropout(weights), v[:, h : h + 1]))
        merged = merge_heads(torch.cat(outs, dim=1))
        return self.out_proj(merged), torch.cat(shares, dim=1)
