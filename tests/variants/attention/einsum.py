"""Letters for every axis, and the softmax by hand: subtract the row's maximum, exponentiate, divide."""

import torch
from torch import einsum, nn


class DotScorer(nn.Module):
    def forward(self, query, keys):
        return einsum("nqd,nkd->nqk", query, keys)


class ScaledDotScorer(nn.Module):
    def forward(self, query, keys):
        d = keys.size(-1)
        return einsum("nqd,nkd->nqk", query * d**-0.5, keys)


class BilinearScorer(nn.Module):
    def __init__(self, query_dim, key_dim):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(query_dim, key_dim))

    def forward(self, query, keys):
        return einsum("nqi,ij,nkj->nqk", query, self.weight, keys)


class AdditiveScorer(nn.Module):
    def __init__(self, query_dim, key_dim, hidden_dim):
        super().__init__()
        self.query_proj = nn.Linear(query_dim, hidden_dim, bias=False)
        self.key_proj = nn.Linear(key_dim, hidden_dim, bias=False)
        self.energy = nn.Linear(hidden_dim, 1, bias=False)

    def forward(self, query, keys):
        q = einsum("nqi,hi->nqh", query, self.query_proj.weight)
        k = einsum("nkj,hj->nkh", keys, self.key_proj.weight)
        hidden = (q.unsqueeze(2) + k.unsqueeze(1)).tanh()
        return einsum("nqkh,h->nqk", hidden, self.energy.weight[0])


def masked_softmax(scores, mask=None):
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    lowest = torch.finfo(scores.dtype).min
    scores = torch.where(mask, scores, torch.full_like(scores, lowest))
    highest = scores.max(dim=-1, keepdim=True).values.detach()
    powers = torch.exp(scores - highest) * mask
    total = powers.sum(dim=-1, keepdim=True)
    return powers / torch.where(total > 0, total, torch.ones_like(total))


def attend(scorer, query, keys, values, mask=None):
    weights = masked_softmax(scorer(query, keys), mask)
    return einsum("nqk,nkv->nqv", weights, values), weights
