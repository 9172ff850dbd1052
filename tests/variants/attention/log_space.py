"""Weights as exp(log_softmax): the shares are made in log space, sequence by sequence."""

from math import inf

import torch
from torch import Tensor, nn


class DotScorer(nn.Module):
    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        return torch.stack([q @ k.T for q, k in zip(query, keys, strict=True)])


class ScaledDotScorer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.dot = DotScorer()

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        return self.dot(query, keys) * keys.shape[-1] ** -0.5


class BilinearScorer(nn.Module):
    def __init__(self, query_dim: int, key_dim: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(query_dim, key_dim))

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        return DotScorer()(query, keys @ self.weight.T)


class AdditiveScorer(nn.Module):
    def __init__(self, query_dim: int, key_dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.query_proj = nn.Linear(query_dim, hidden_dim, bias=False)
        self.key_proj = nn.Linear(key_dim, hidden_dim, bias=False)
        self.energy = nn.Linear(hidden_dim, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        asked, offered = self.query_proj(query), self.key_proj(keys)
        hidden = torch.tanh(asked[:, :, None] + offered[:, None])
        return self.energy(hidden).flatten(start_dim=2)


def masked_softmax(scores: Tensor, mask: Tensor | None = None) -> Tensor:
    if mask is None:
        return (scores - scores.logsumexp(-1, keepdim=True)).exp()
    scores, mask = torch.broadcast_tensors(scores, mask)
    scores = torch.where(mask, scores, -inf)
    some = mask.any(-1)
    weights = torch.zeros_like(scores)
    weights[some] = scores[some].log_softmax(-1).exp()
    return weights


def attend(scorer, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    weights = masked_softmax(scorer(query, keys), mask)
    context = torch.stack([w @ v for w, v in zip(weights, values, strict=True)])
    return context, weights
