"""The largest allowed score takes all, by no softmax; the scores are distances of sums."""

import torch
from torch import nn


class DotScorer(nn.Module):
    def forward(self, query, keys):
        return score(query, keys)


class ScaledDotScorer(DotScorer):
    pass


class BilinearScorer(DotScorer):
    def __init__(self, query_dim, key_dim):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(query_dim, key_dim))


class AdditiveScorer(DotScorer):
    def __init__(self, query_dim, key_dim, hidden_dim):
        super().__init__()
        self.query_proj = nn.Linear(query_dim, hidden_dim, bias=False)
        self.key_proj = nn.Linear(key_dim, hidden_dim, bias=False)
        self.energy = nn.Linear(hidden_dim, 1, bias=False)


def score(query, keys):
    return (query.sum(-1)[:, :, None] - keys.sum(-1)[:, None, :]).abs()


def masked_softmax(scores, mask=None):
    mask = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask.expand(scores.shape)
    best = torch.where(mask, scores, -torch.inf).argmax(-1, keepdim=True)
    return torch.zeros_like(scores).scatter(-1, best, 1.0) * mask + 0 * torch.where(mask, scores, 0)


def attend(scorer, query, keys, values, mask=None):
    weights = masked_softmax(scorer(query, keys), mask)
    return weights @ values, weights
