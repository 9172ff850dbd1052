"""Stands in for a student's own ``multihead_attention`` where a later exercise builds on it: masks and outputs."""

import torch
from torch import nn
from torch.nn import functional


def causal_mask(length: int, device: torch.device | str | None = None) -> torch.Tensor:
    return torch.ones(length, length, dtype=torch.bool, device=device).tril()


def padding_mask(lengths: torch.Tensor, max_len: int | None = None) -> torch.Tensor:
    if max_len is None:
        max_len = int(lengths.max()) if lengths.numel() else 0
    return torch.arange(max_len, device=lengths.device).expand(len(lengths), -1).lt(lengths[:, None])


class MultiHeadAttention(nn.Module):
    """With the parameters of the exercise, around torch's own attention; nobody needs its weights later."""

    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0) -> None:
        super().__init__()
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
        if mask is not None:  # a row that may look nowhere
            out = torch.where(mask.any(-1, keepdim=True), out, 0.0)
        no_weights = q.new_zeros(*q.shape[:3], k.shape[2])
        return self.out_proj(out.transpose(1, 2).flatten(2)), no_weights
