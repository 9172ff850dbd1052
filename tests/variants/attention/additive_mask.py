"""A mask of very negative numbers that is added to the scores, and zeros put in at the end."""

import torch
from torch import nn

LOW = -1e9


class DotScorer(nn.Module):
    scale = False

    def forward(self, query, keys):
        scores = torch.matmul(query, torch.transpose(keys, -2, -1))
        if self.scale:
            scores = scores / torch.sqrt(torch.tensor(query.size(-1), dtype=query.dtype, device=query.device))
        return scores


class ScaledDotScorer(DotScorer):
    scale = True


class BilinearScorer(nn.Module):
    def __init__(self, query_dim, key_dim):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(query_dim, key_dim))

    def forward(self, query, keys):
        right = self.weight @ keys.transpose(-1, -2)  # (query_dim, key_dim) @ (N, key_dim, K)
        return query @ right


class AdditiveScorer(nn.Module):
    def __init__(self, query_dim, key_dim, hidden_dim):
        super().__init__()
        self.query_proj = nn.Linear(query_dim, hidden_dim, bias=False)
        self.key_proj = nn.Linear(key_dim, hidden_dim, bias=False)
        self.energy = nn.Linear(hidden_dim, 1, bias=False)

    def forward(self, query, keys):
        keys = self.key_proj(keys)
        columns = []
        for state in self.query_proj(query).unbind(1):  # one decoder state at a time, (N, H)
            columns.append(self.energy(torch.tanh(state[:, None] + keys))[..., 0])  # (N, K)
        return torch.stack(columns, dim=1)


def masked_softmax(scores, mask=None):
    if mask is None:
        return torch.softmax(scores, -1)
    mask = mask.to(scores.dtype)
    return torch.softmax(scores + (1 - mask) * LOW, -1) * mask


def attend(scorer, query, keys, values, mask=None):
    weights = masked_softmax(scorer(query, keys), mask=mask)
    return weights.matmul(values), weights
