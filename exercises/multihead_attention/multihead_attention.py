"""Multi-head attention: several questions at once, none about the future.

One softmax can look at one thing. So the model's width is cut into heads; each asks a question of its own, and the
answers are put side by side and mixed. Masks say who may be asked: not the padding, and not the future.
"""

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
    raise NotImplementedError("causal_mask is yours to write")


def padding_mask(lengths: torch.Tensor, max_len: int | None = None) -> torch.Tensor:
    """Which positions of a padded batch hold a real token: the first lengths[n] of sequence n.

    lengths: (N,) -> bool (N, L) on the device of lengths; L is max_len, or else the largest length

    >>> padding_mask(torch.tensor([1, 3]))
    tensor([[ True, False, False],
            [ True,  True,  True]])
    """
    raise NotImplementedError("padding_mask is yours to write")


def split_heads(x: torch.Tensor, num_heads: int) -> torch.Tensor:
    """Cut the features into heads: head h gets the h-th run of D/H neighbouring features of every position.

    x: (N, L, D) -> (N, H, L, D/H)

    >>> split_heads(torch.tensor([[[1, 2, 3, 4], [5, 6, 7, 8]]]), num_heads=2).tolist()
    [[[[1, 2], [5, 6]], [[3, 4], [7, 8]]]]
    """
    raise NotImplementedError("split_heads is yours to write")


def merge_heads(x: torch.Tensor) -> torch.Tensor:
    """Put the heads' answers side by side again: the inverse of split_heads.

    x: (N, H, L, D/H) -> (N, L, D)

    >>> merge_heads(torch.tensor([[[[1, 2], [5, 6]], [[3, 4], [7, 8]]]]))
    tensor([[[1, 2, 3, 4],
             [5, 6, 7, 8]]])
    """
    raise NotImplementedError("merge_heads is yours to write")


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
    raise NotImplementedError("scaled_dot_product_attention is yours to write")


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
        raise NotImplementedError("MultiHeadAttention.forward is yours to write")
