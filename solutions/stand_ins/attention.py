"""Stands in for a student's own ``attention`` where a later exercise builds on it."""

import torch
from torch import nn


class AdditiveScorer(nn.Module):
    """With the parameters of the exercise, so that weights move between the two."""

    def __init__(self, query_dim: int, key_dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.query_proj = nn.Linear(query_dim, hidden_dim, bias=False)
        self.key_proj = nn.Linear(key_dim, hidden_dim, bias=False)
        self.energy = nn.Linear(hidden_dim, 1, bias=False)

    def forward(self, query: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
        pairs = self.query_proj(query).unsqueeze(2) + self.key_proj(keys).unsqueeze(1)
        return self.energy(pairs.tanh()).squeeze(3)


def masked_softmax(scores: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
    """``torch.softmax``, over a floor that no score reaches where the mask says no."""
    if mask is None:
        return torch.softmax(scores, -1)
    lowest = torch.finfo(scores.dtype).min
    return torch.softmax(torch.where(mask, scores, lowest), -1) * mask


def attend(scorer, query, keys, values, mask=None):
    """The weighted mean of the values, and the weights."""
    weights = masked_softmax(scorer(query, keys), mask)
    return torch.bmm(weights, values), weights
