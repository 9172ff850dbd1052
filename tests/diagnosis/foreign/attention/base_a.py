"""Attention, vectorised with matmul and broadcasting."""

import math
from collections.abc import Callable

import torch
from torch import nn


class DotScorer(nn.Module):
    def forward(self, query: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
        return query @ keys.transpose(1, 2)


class ScaledDotScorer(nn.Module):
    def forward(self, query: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
        return query @ keys.transpose(-2, -1) / math.sqrt(query.shape[-1])


class BilinearScorer(nn.Module):
    def __init__(self, query_dim: int, key_dim: int) -> None:
        super().__init__()
        # So small that scores have variance 1 where queries and keys have.
        self.weight = nn.Parameter(torch.randn(query_dim, key_dim) / math.sqrt(query_dim * key_dim))

    def forward(self, query: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
        return (query @ self.weight) @ keys.mT


class AdditiveScorer(nn.Module):
    def __init__(self, query_dim: int, key_dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.query_proj = nn.Linear(query_dim, hidden_dim, bias=False)
        self.key_proj = nn.Linear(key_dim, hidden_dim, bias=False)
        self.energy = nn.Linear(hidden_dim, 1, bias=False)

    def forward(self, query: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
        projected_query = self.query_proj(query).unsqueeze(2)  # (N, Q, 1, h)
        projected_keys = self.key_proj(keys).unsqueeze(1)  # (N, 1, K, h)
        hidden = torch.tanh(projected_query + projected_keys)  # (N, Q, K, h)
        return self.energy(hidden).squeeze(-1)


def masked_softmax(scores: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
    if mask is None:
        return scores.softmax(dim=-1)
    scores = scores.masked_fill(~mask, -math.inf)
    nothing = ~mask.expand(scores.shape).any(dim=-1, keepdim=True)
    # a row of zeros instead of a row of -inf, so that no NaN arises, not even in the gradient
    weights = scores.masked_fill(nothing, 0.0).softmax(dim=-1)
    return weights.masked_fill(nothing, 0.0)


def attend(
    scorer: Callable[[torch.Tensor, torch.Tensor], torch.Tensor],
    query: torch.Tensor,
    keys: torch.Tensor,
    values: torch.Tensor,
    mask: torch.Tensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    scores = scorer(query, keys)
    weights = masked_softmax(scores, mask)
    context = weights @ values
    return context, weights
