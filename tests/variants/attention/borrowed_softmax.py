"""torch's own attention as a softmax: with unit vectors for keys and values, its output is the weights."""

import torch
import torch.nn.functional as F
from torch import nn


class DotScorer(nn.Module):
    def forward(self, query, keys):
        return query.matmul(keys.swapaxes(1, 2))


class ScaledDotScorer(nn.Module):
    def forward(self, query, keys):
        root = query.shape[-1] ** 0.25  # half of the scale on either side, so that products stay small
        return (query / root).matmul((keys / root).swapaxes(1, 2))


class BilinearScorer(nn.Module):
    def __init__(self, query_dim, key_dim):
        super().__init__()
        self.weight = nn.Parameter(nn.init.orthogonal_(torch.empty(query_dim, key_dim)))

    def forward(self, query, keys):
        return F.bilinear(
            query[:, :, None].expand(-1, -1, keys.shape[1], -1).contiguous(),
            keys[:, None].expand(-1, query.shape[1], -1, -1).contiguous(),
            self.weight[None],
        )[..., 0]


class AdditiveScorer(nn.Module):
    def __init__(self, query_dim, key_dim, hidden_dim):
        super().__init__()
        self.query_proj = nn.Linear(query_dim, hidden_dim, bias=False)
        self.key_proj = nn.Linear(key_dim, hidden_dim, bias=False)
        self.energy = nn.Linear(hidden_dim, 1, bias=False)

    def forward(self, query, keys):
        pairs = torch.cat(
            [
                query[:, :, None].expand(-1, -1, keys.shape[1], -1),
                keys[:, None].expand(-1, query.shape[1], -1, -1),
            ],
            dim=-1,
        )  # W_q s + W_k h is one product with the matrix [W_q W_k]
        both = torch.cat([self.query_proj.weight, self.key_proj.weight], dim=1)
        return torch.tanh(pairs @ both.T).matmul(self.energy.weight.squeeze(0))


def masked_softmax(scores, mask=None):
    rows = scores.reshape(1, -1, scores.shape[-1])
    unit = torch.eye(scores.shape[-1], dtype=scores.dtype, device=scores.device)[None]
    if mask is None:
        return F.scaled_dot_product_attention(rows, unit, unit, scale=1.0).reshape(scores.shape)
    mask = mask.expand(scores.shape)
    empty = ~mask.any(-1, keepdim=True)
    allowed = (mask | empty).reshape(rows.shape)
    weights = F.scaled_dot_product_attention(rows, unit, unit, attn_mask=allowed, scale=1.0)
    return torch.where(empty, 0.0, weights.reshape(scores.shape))


def attend(scorer, query, keys, values, mask=None):
    weights = masked_softmax(scorer(query, keys), mask)
    return (weights.unsqueeze(-1) * values.unsqueeze(1)).sum(-2), weights
