"""Masked scores become the lowest number of their dtype; one helper for all products, and zeros by a product."""

import torch
from torch import nn


def products(left, right):
    """(N, Q, d), (N, K, d) -> (N, Q, K)"""
    return torch.baddbmm(torch.zeros((), dtype=left.dtype, device=left.device), left, right.mT)


class DotScorer(nn.Module):
    def forward(self, query, keys):
        return products(query, keys)


class ScaledDotScorer(nn.Module):
    def forward(self, query, keys):
        return products(query, keys / query.shape[-1] ** 0.5)


class BilinearScorer(nn.Module):
    def __init__(self, query_dim, key_dim):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(query_dim, key_dim))

    def forward(self, query, keys):
        return products(torch.tensordot(query, self.weight, dims=1), keys)


class AdditiveScorer(nn.Module):
    def __init__(self, query_dim, key_dim, hidden_dim):
        super().__init__()
        self.query_proj = nn.Linear(query_dim, hidden_dim, bias=False)
        self.key_proj = nn.Linear(key_dim, hidden_dim, bias=False)
        self.energy = nn.Linear(hidden_dim, 1, bias=False)

    def forward(self, query, keys):
        n, q, k = query.size(0), query.size(1), keys.size(1)
        asked = self.query_proj(query).repeat_interleave(k, dim=1)  # (N, Q*K, H): s1 s1 s1 s2 s2 s2
        offered = self.key_proj(keys).repeat(1, q, 1)  # (N, Q*K, H): h1 h2 h3 h1 h2 h3
        return self.energy((asked + offered).tanh()).reshape(n, q, k)


def masked_softmax(scores, mask=None):
    if mask is None:
        mask = scores.new_ones(scores.shape, dtype=torch.bool)
    low = torch.finfo(scores.dtype).min
    return scores.where(mask, low).softmax(-1) * mask


def attend(scorer, query, keys, values, mask=None):
    weights = masked_softmax(scorer(query, keys), mask)
    return torch.bmm(weights, values), weights
