"""Attention with einsum and one helper."""

import math
from collections.abc import Callable

import torch
from torch import nn


def _pairwise(query, keys):
    return torch.einsum("nqd,nkd->nqk", query, keys)


class DotScorer(nn.Module):
    def forward(self, query: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
        return _pairwise(query, keys)


class ScaledDotScorer(nn.Module):
    def forward(self, query: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
        width = keys.shape[-1]
        return _pairwise(query, keys) * width**-0.5


class BilinearScorer(nn.Module):
    def __init__(self, query_dim: int, key_dim: int) -> None:
        super().__init__()
        # So small that scores have variance 1 where queries and keys have.
        self.weight = nn.Parameter(torch.randn(query_dim, key_dim) / math.sqrt(query_dim * key_dim))

    def forward(self, query: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
        return torch.einsum("nqa,ab,nkb->nqk", query, self.weight, keys)


class AdditiveScorer(nn.Module):
    def __init__(self, query_dim: int, key_dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.query_proj = nn.Linear(query_dim, hidden_dim, bias=False)
        self.key_proj = nn.Linear(key_dim, hidden_dim, bias=False)
        self.energy = nn.Linear(hidden_dim, 1, bias=False)

    def forward(self, query: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
        n, q, k = query.shape[0], query.shape[1], keys.shape[1]
        s = self.query_proj(query)[:, :, None, :].expand(n, q, k, -1)
        h = self.key_proj(keys)[:, None, :, :].expand(n, q, k, -1)
        return self.energy((s + h).tanh())[..., 0]


def masked_softmax(scores: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
    if mask is None:
        return torch.softmax(scores, dim=-1)
    seen = mask.any(dim=-1, keepdim=True)
    # rows without anything to see take part unmasked, and are wiped at the end
    filled = torch.where(mask | ~seen, scores, -torch.inf)
    weights = torch.softmax(filled, dim=-1)
    return torch.where(mask, weights, torch.zeros_like(weights))


def attend(
    scorer: Callable[[torch.Tensor, torch.Tensor], torch.Tensor],
    query: torch.Tensor,
    keys: torch.Tensor,
    values: torch.Tensor,
    mask: torch.Tensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    weights = masked_softmax(scorer(query, keys), mask)
    return torch.einsum("nqk,nkv->nqv", weights, values), weights
