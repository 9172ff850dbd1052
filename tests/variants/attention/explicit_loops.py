"""Everything one number at a time: loops over sequences, queries and keys, and only the allowed scores are touched."""

import torch
from torch import nn


def table(query, keys, score):
    return torch.stack(
        [
            torch.stack([torch.stack([score(s, h) for h in keys[n]]) for s in query[n]])
            for n in range(query.shape[0])
        ]
    )


class DotScorer(nn.Module):
    def forward(self, query, keys):
        return table(query, keys, torch.dot)


class ScaledDotScorer(nn.Module):
    def forward(self, query, keys):
        return table(query, keys, lambda s, h: (s * h).sum() / len(h) ** 0.5)


class BilinearScorer(nn.Module):
    def __init__(self, query_dim, key_dim):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(query_dim, key_dim) / query_dim)

    def forward(self, query, keys):
        return table(query, keys, lambda s, h: s @ self.weight @ h)


class AdditiveScorer(nn.Module):
    def __init__(self, query_dim, key_dim, hidden_dim):
        super().__init__()
        self.query_proj = nn.Linear(query_dim, hidden_dim, bias=False)
        self.key_proj = nn.Linear(key_dim, hidden_dim, bias=False)
        self.energy = nn.Linear(hidden_dim, 1, bias=False)

    def forward(self, query, keys):
        return table(query, keys, lambda s, h: self.energy(torch.tanh(self.query_proj(s) + self.key_proj(h)))[0])


def softmax(row):
    powers = (row - row.max()).exp()
    return powers / powers.sum()


def masked_softmax(scores, mask=None):
    if mask is None:
        mask = torch.ones(scores.shape, dtype=torch.bool, device=scores.device)
    mask = mask.broadcast_to(scores.shape)
    if scores.dim() > 1:
        return torch.stack([masked_softmax(s, m) for s, m in zip(scores, mask)])
    places = [i for i in range(len(scores)) if mask[i]]
    weights = torch.zeros_like(scores)
    if places:
        weights[places] = softmax(scores[places])
    return weights


def attend(scorer, query, keys, values, mask=None):
    N, Q = query.shape[:2]
    weights = masked_softmax(scorer(query, keys), mask)
    contexts = []
    for n in range(N):
        for q in range(Q):
            contexts.append(sum(w * v for w, v in zip(weights[n, q], values[n])))
    return torch.stack(contexts).reshape(N, Q, -1), weights
