"""Attention: who decides where to look?

A decoder that writes a word asks all states of the encoder how well they fit (scores), makes shares of the answers
(weights, by a softmax), and takes the mixture of what they say (context, a weighted sum of the values).
"""

import math
from collections.abc import Callable

import torch
from torch import nn


class DotScorer(nn.Module):
    """Scores s·h: a query and a key fit well if they point the same way.

    query: (N, Q, d), keys: (N, K, d) -> scores (N, Q, K)

    >>> query, keys = torch.tensor([[[1.0, 2.0]]]), torch.tensor([[[3.0, 4.0], [5.0, 6.0], [2.0, -1.0]]])
    >>> DotScorer()(query, keys)
    tensor([[[11., 17.,  0.]]])
    """

    def forward(self, query: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
        raise NotImplementedError("DotScorer.forward is yours to write")


class ScaledDotScorer(nn.Module):
    """Scores s·h/√d: the wider the vectors, the larger their dot products, and the root takes that back.

    query: (N, Q, d), keys: (N, K, d) -> scores (N, Q, K)

    >>> ScaledDotScorer()(torch.ones(1, 1, 64), torch.tensor([1.75, 1.5]).reshape(1, 2, 1).expand(1, 2, 64))
    tensor([[[14., 12.]]])
    """

    def forward(self, query: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
        raise NotImplementedError("ScaledDotScorer.forward is yours to write")


class BilinearScorer(nn.Module):
    """Scores sᵀWh, Luong's "general": W learns which part of a query should meet which part of a key.

    query: (N, Q, query_dim), keys: (N, K, key_dim) -> scores (N, Q, K)

    >>> scorer = BilinearScorer(query_dim=2, key_dim=3)
    >>> scorer.weight.data = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    >>> scorer(torch.tensor([[[1.0, 10.0]]]), torch.eye(3)[None]).detach()
    tensor([[[41., 52., 63.]]])
    """

    def __init__(self, query_dim: int, key_dim: int) -> None:
        super().__init__()
        # So small that scores have variance 1 where queries and keys have.
        self.weight = nn.Parameter(torch.randn(query_dim, key_dim) / math.sqrt(query_dim * key_dim))

    def forward(self, query: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
        raise NotImplementedError("BilinearScorer.forward is yours to write")


class AdditiveScorer(nn.Module):
    """Scores vᵀ tanh(W_q s + W_k h), Bahdanau's: a small network looks at a query and a key together.

    query: (N, Q, query_dim), keys: (N, K, key_dim) -> scores (N, Q, K)

    >>> scorer = AdditiveScorer(query_dim=2, key_dim=3, hidden_dim=4)
    >>> for parameter in scorer.parameters():
    ...     parameter.data = torch.ones_like(parameter)
    >>> scorer(torch.tensor([[[1.0, -1.0]]]), torch.tensor([[[0.5, 0.0, 0.0], [0.0, 0.0, 9.0]]])).detach()
    tensor([[[1.8485, 4.0000]]])
    """

    def __init__(self, query_dim: int, key_dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.query_proj = nn.Linear(query_dim, hidden_dim, bias=False)
        self.key_proj = nn.Linear(key_dim, hidden_dim, bias=False)
        self.energy = nn.Linear(hidden_dim, 1, bias=False)

    def forward(self, query: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
        raise NotImplementedError("AdditiveScorer.forward is yours to write")


def masked_softmax(scores: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
    """Softmax over the last axis, among what the mask allows; a row where nothing is allowed is all 0.

    scores: (..., K), mask: bool, broadcasts to scores, True = may be attended -> weights (..., K)

    >>> masked_softmax(torch.tensor([14.0, 12.0, 99.0]), torch.tensor([True, True, False]))
    tensor([0.8808, 0.1192, 0.0000])
    """
    if mask is None:
        return scores.softmax(dim=-1)
    # A row of -inf alone would have a softmax of 0/0 = NaN, and a NaN as its gradient too. So such a row is
    # computed on zeros, and its answer put in by hand.
    nothing = ~mask.any(dim=-1, keepdim=True)  # (..., 1)
    allowed = scores.masked_fill(~mask, -math.inf).masked_fill(nothing, 0.0)  # (..., K)
    return allowed.softmax(dim=-1).masked_fill(nothing, 0.0)


def attend(
    scorer: Callable[[torch.Tensor, torch.Tensor], torch.Tensor],
    query: torch.Tensor,
    keys: torch.Tensor,
    values: torch.Tensor,
    mask: torch.Tensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """The context of each query: the values, mixed by how well their keys fit; and the weights of the mixture.

    query: (N, Q, query_dim), keys: (N, K, key_dim), values: (N, K, dv), mask: bool, broadcasts to (N, Q, K)
    -> context (N, Q, dv), weights (N, Q, K)

    >>> keys, values = torch.tensor([[[2.0, 0.0], [0.0, 1.0], [0.0, 0.0]]]), torch.tensor([[[10.0], [20.0], [30.0]]])
    >>> context, weights = attend(DotScorer(), torch.tensor([[[1.0, 1.0]]]), keys, values)
    >>> context, weights
    (tensor([[[14.2479]]]), tensor([[[0.6652, 0.2447, 0.0900]]]))
    """
    raise NotImplementedError("attend is yours to write")
