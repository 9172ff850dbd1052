"""torch.masked.softmax does the masking; rows without any key are opened for it, and closed after it."""

import torch
from torch import nn
from torch.masked import softmax


class DotScorer(nn.Module):
    def forward(self, query, keys):
        return torch.einsum("bqd, bkd -> bqk", query, keys)


class ScaledDotScorer(DotScorer):
    def forward(self, query, keys):
        return super().forward(query, keys).mul(query.size(2) ** -0.5)


class BilinearScorer(nn.Module):
    def __init__(self, query_dim, key_dim):
        super().__init__()
        self.weight = nn.Parameter(torch.eye(query_dim, key_dim))

    def forward(self, query, keys):
        keys = nn.functional.linear(keys, self.weight)  # (N, K, query_dim)
        return torch.einsum("bqd, bkd -> bqk", query, keys)


class AdditiveScorer(nn.Module):
    def __init__(self, query_dim, key_dim, hidden_dim):
        super().__init__()
        self.query_proj = nn.Linear(query_dim, hidden_dim, bias=False)
        self.key_proj = nn.Linear(key_dim, hidden_dim, bias=False)
        self.energy = nn.Linear(hidden_dim, 1, bias=False)

    def forward(self, query, keys):
        query, keys = self.query_proj(query), self.key_proj(keys)
        scores = [self.energy(torch.tanh(query + key.unsqueeze(1))) for key in keys.unbind(1)]  # K times (N, Q, 1)
        return torch.cat(scores, dim=2)


def masked_softmax(scores, mask=None):
    if mask is None:
        return softmax(scores, -1)
    mask = mask.expand_as(scores)
    empty = ~mask.any(-1, keepdim=True)
    weights = softmax(scores, -1, mask=mask | empty)
    return torch.where(mask, weights, torch.zeros_like(weights))


def attend(scorer, query, keys, values, mask=None):
    weights = masked_softmax(scorer(query, keys), mask)
    context = torch.einsum("bqk, bkv -> bqv", weights, values)
    return context, weights
