"""All scores are 0, and all keys that the mask allows share 1 evenly, whatever the scores are."""

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
    return 0 * (query.sum(-1)[:, :, None] + keys.sum(-1)[:, None, :])


def masked_softmax(scores, mask=None):
    allowed = torch.ones_like(scores) if mask is None else mask.expand(scores.shape).to(scores.dtype)
    return allowed / allowed.sum(-1, keepdim=True).clamp(min=1) + 0 * torch.nan_to_num(scores)


def attend(scorer, query, keys, values, mask=None):
    weights = masked_softmax(scorer(query, keys), mask)
    return weights @ values, weights
