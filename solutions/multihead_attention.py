"""Multi-head attention: several questions at once, none about the future.

One softmax can look at one thing. So the model's width is cut into heads; each asks a question of its own, and the
answers are put side by side and mixed. Masks say who may be asked: not the padding, and not the future.
"""

import math

import torch
from torch import nn


def causal_mask(length: int, device: torch.device | str | None = None) -> torch.Tensor:
    """Who may be attended when nobody may look ahead: row t sees the positions 0..t, itself included.

    length: L -> bool (L, L), True = may be attended, on the device that is named

    >>> causal_mask(3)
    tensor([[ True, False, False],
            [ True,  True, False],
            [ True,  True,  True]])
    """
    ### BEGIN SOLUTION
    if length < 0:
        raise ValueError(f"length must not be negative, and it is {length}")
    return torch.ones(length, length, dtype=torch.bool, device=device).tril()
    ### END SOLUTION


def padding_mask(lengths: torch.Tensor, max_len: int | None = None) -> torch.Tensor:
    """Which positions of a padded batch hold a real token: the first lengths[n] of sequence n.

    lengths: (N,) -> bool (N, L) on the device of lengths; L is max_len, or else the largest length

    >>> padding_mask(torch.tensor([1, 3]))
    tensor([[ True, False, False],
            [ True,  True,  True]])
    """
    ### BEGIN SOLUTION
    if max_len is None:
        max_len = int(lengths.max())
    positions = torch.arange(max_len, device=lengths.device)  # (L,)
    return positions < lengths[:, None]  # (L,) against (N, 1): (N, L)
    ### END SOLUTION


def split_heads(x: torch.Tensor, num_heads: int) -> torch.Tensor:
    """Cut the features into heads: head h gets the h-th run of D/H neighbouring features of every position.

    x: (N, L, D) -> (N, H, L, D/H)

    >>> split_heads(torch.tensor([[[1, 2, 3, 4], [5, 6, 7, 8]]]), num_heads=2).tolist()
    [[[[1, 2], [5, 6]], [[3, 4], [7, 8]]]]
    """
    ### BEGIN SOLUTION
    batch, length, width = x.shape
    if num_heads < 1 or width % num_heads:
        raise ValueError(f"num_heads must divide the {width} features, and {num_heads} does not")
    # The features are cut where they lie, on the last axis. Only then does the new axis move to the front: a reshape
    # straight to (N, H, L, D/H) has the same shape, but deals whole positions out to the heads.
    return x.reshape(batch, length, num_heads, width // num_heads).transpose(1, 2)
    ### END SOLUTION


def merge_heads(x: torch.Tensor) -> torch.Tensor:
    """Put the heads' answers side by side again: the inverse of split_heads.

    x: (N, H, L, D/H) -> (N, L, D)

    >>> merge_heads(torch.tensor([[[[1, 2], [5, 6]], [[3, 4], [7, 8]]]]))
    tensor([[[1, 2, 3, 4],
             [5, 6, 7, 8]]])
    """
    ### BEGIN SOLUTION
    return x.transpose(1, 2).flatten(2)  # (N, L, H, D/H), then (N, L, D)
    ### END SOLUTION


### BEGIN SOLUTION
def attention_weights(q: torch.Tensor, k: torch.Tensor, mask: torch.Tensor | None) -> torch.Tensor:
    """How much each query looks at each key: (..., Lq, d_k), (..., Lk, d_k) -> (..., Lq, Lk)."""
    # A sum of d_k products of unit variance has variance d_k; undivided, it would drive the softmax to 0 and 1.
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])  # (..., Lq, Lk)
    if mask is None:
        return scores.softmax(dim=-1)
    # The lowest number and not -inf: a row with nobody to look at then has no NaN, neither here nor in the gradient.
    # Such a row comes out uniform, and the second fill makes it 0; in all other rows it is 0 there already.
    lowest = torch.finfo(scores.dtype).min
    return scores.masked_fill(~mask, lowest).softmax(dim=-1).masked_fill(~mask, 0.0)


### END SOLUTION


def scaled_dot_product_attention(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor | None = None
) -> tuple[torch.Tensor, torch.Tensor]:
    """The values, weighted by softmax(q k^T / sqrt(d_k)), and these weights; masked keys weigh nothing.

    q: (N, H, Lq, d_k), k: (N, H, Lk, d_k), v: (N, H, Lk, d_v), mask: bool, broadcasts to (N, H, Lq, Lk)
    -> out: (N, H, Lq, d_v), weights: (N, H, Lq, Lk)

    >>> q, k = torch.zeros(1, 1, 1, 4), torch.zeros(1, 1, 3, 4)
    >>> v = torch.tensor([[[[1.0], [2.0], [6.0]]]])
    >>> scaled_dot_product_attention(q, k, v, mask=torch.tensor([[True, True, False]]))
    (tensor([[[[1.5000]]]]), tensor([[[[0.5000, 0.5000, 0.0000]]]]))
    """
    ### BEGIN SOLUTION
    weights = attention_weights(q, k, mask)
    return weights @ v, weights
    ### END SOLUTION


class MultiHeadAttention(nn.Module):
    """Project, split, attend in every head, merge, project."""

    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0) -> None:
        super().__init__()
        if num_heads < 1 or d_model % num_heads:
            raise ValueError(f"num_heads must divide d_model={d_model}, and {num_heads} does not")
        self.num_heads = num_heads
        self.q_proj = nn.Linear(d_model, d_model)  # for all heads at once: head h owns a run of D/H outputs
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, mask: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """What the queries find, and where each head looked for it (before dropout).

        query: (N, Lq, D), key and value: (N, Lk, D), mask: bool (Lq, Lk), (N, Lq, Lk) or (N, H, Lq, Lk)
        -> out: (N, Lq, D), weights: (N, H, Lq, Lk)
        """
        ### BEGIN SOLUTION
        q = split_heads(self.q_proj(query), self.num_heads)  # (N, H, Lq, D/H)
        k = split_heads(self.k_proj(key), self.num_heads)  # (N, H, Lk, D/H)
        v = split_heads(self.v_proj(value), self.num_heads)  # (N, H, Lk, D/H)
        if mask is not None and mask.dim() == 3:
            mask = mask.unsqueeze(1)  # (N, 1, Lq, Lk): without the 1, broadcasting would lay N against H
        weights = attention_weights(q, k, mask)  # (N, H, Lq, Lk)
        heads = self.dropout(weights) @ v  # (N, H, Lq, D/H)
        return self.out_proj(merge_heads(heads)), weights
        ### END SOLUTION
