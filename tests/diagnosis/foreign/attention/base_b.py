"""Attention with loops over queries, and a softmax by hand."""

import math
from collections.abc import Callable

import torch
from torch import nn


class DotScorer(nn.Module):
    def forward(self, query: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
        columns = []
        for q in range(query.shape[1]):
            one = query[:, q : q + 1, :]  # (N, 1, d)
            columns.append((one * keys).sum(dim=2))  # (N, K)
        return torch.stack(columns, dim=1)


class ScaledDotScorer(nn.Module):
    def forward(self, query: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
        d = query.size(2)
        columns = []
        for q in range(query.size(1)):
            one = query[:, q : q + 1, :]
            columns.append((one * keys).sum(dim=2) / d**0.5)
        return torch.stack(columns, dim=1)


class BilinearScorer(nn.Module):
    def __init__(self, query_dim: int, key_dim: int) -> None:
        super().__init__()
        # So small that scores have variance 1 where queries and keys have.
        self.weight = nn.Parameter(torch.randn(query_dim, key_dim) / math.sqrt(query_dim * key_dim))

    def forward(self, query: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
        asked = torch.matmul(query, self.weight)  # (N, Q, key_dim)
        columns = []
        for q in range(asked.size(1)):
            columns.append((asked[:, q].unsqueeze(1) * keys).sum(dim=2))
        return torch.stack(columns, dim=1)


class AdditiveScorer(nn.Module):
    def __init__(self, query_dim: int, key_dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.query_proj = nn.Linear(query_dim, hidden_dim, bias=False)
        self.key_proj = nn.Linear(key_dim, hidden_dim, bias=False)
        self.energy = nn.Linear(hidden_dim, 1, bias=False)

    def forward(self, query: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
        from_keys = self.key_proj(keys)  # (N, K, h)
        columns = []
        for q in range(query.size(1)):
            from_query = self.query_proj(query[:, q]).unsqueeze(1)  # (N, 1, h)
            energies = self.energy(torch.tanh(from_query + from_keys))  # (N, K, 1)
            columns.append(energies[:, :, 0])
        return torch.stack(columns, dim=1)


def masked_softmax(scores: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    mask = mask.broadcast_to(scores.shape)
    lowest = torch.finfo(scores.dtype).min
    highest = torch.where(mask, scores, lowest).amax(dim=-1, keepdim=True)
    shifted = torch.where(mask, scores - highest, 0.0)  # at most 0 where it counts
    powers = torch.where(mask, shifted.exp(), 0.0)
    total = powers.sum(dim=-1, keepdim=True)
    return powers / torch.where(total == 0, torch.ones_like(total), total)


def attend(
    scorer: Callable[[torch.Tensor, torch.Tensor], torch.Tensor],
    query: torch.Tensor,
    keys: torch.Tensor,
    values: torch.Tensor,
    mask: torch.Tensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    scores = scorer(query, keys)
    weights = masked_softmax(scores, mask)
    contexts = []
    for q in range(weights.size(1)):
        share = weights[:, q].unsqueeze(2)  # (N, K, 1)
        contexts.append((share * values).sum(dim=1))
    return torch.stack(contexts, dim=1), weights
