"""The usual short way: bmm, -inf, softmax, and what became NaN set to 0."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class DotScorer(nn.Module):
    def forward(self, query, keys):
        return torch.bmm(query, keys.permute(0, 2, 1))


class ScaledDotScorer(DotScorer):
    def forward(self, query, keys):
        return super().forward(query, keys).div(math.sqrt(keys.shape[2]))


class BilinearScorer(nn.Module):
    def __init__(self, query_dim, key_dim):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(query_dim, key_dim))
        nn.init.xavier_uniform_(self.weight)

    def forward(self, query, keys):
        projected_keys = F.linear(keys, self.weight)  # (N, K, query_dim): x @ weight.T
        return torch.bmm(query, projected_keys.mT)


class AdditiveScorer(nn.Module):
    def __init__(self, query_dim, key_dim, hidden_dim):
        super().__init__()
        self.query_proj = nn.Linear(query_dim, hidden_dim, bias=False)
        self.key_proj = nn.Linear(key_dim, hidden_dim, bias=False)
        self.energy = nn.Linear(hidden_dim, 1, bias=False)

    def forward(self, query, keys):
        N, Q, _ = query.shape
        K = keys.shape[1]
        q = self.query_proj(query).unsqueeze(2).expand(-1, -1, K, -1)
        k = self.key_proj(keys).unsqueeze(1).expand(-1, Q, -1, -1)
        return self.energy(torch.tanh(q + k)).view(N, Q, K)


def masked_softmax(scores, mask=None):
    if mask is not None:
        scores = scores.masked_fill(mask.logical_not(), float("-inf"))
    weights = F.softmax(scores, dim=-1)
    return torch.nan_to_num(weights, nan=0.0)


def attend(scorer, query, keys, values, mask=None):
    scores = scorer(query, keys)
    weights = masked_softmax(scores, mask)
    context = torch.bmm(weights, values)
    return context, weights
