"""Common operators, one a snippet, with gradients."""

from __future__ import annotations

import functools

import torch
import torch.nn.functional as F  # noqa: N812  # as everybody writes it

from simgpu_snippets import SNIPPETS, Snippet

N, M, D = 3, 5, 7


def unary(function):
    return lambda lab: function(lab.floats(N, M, D))


def binary(function):
    return lambda lab: function(lab.floats(N, M, D), lab.floats(M, 1))


OPERATORS = {
    **{
        name: unary(getattr(torch, name))
        for name in (
            "abs", "amax", "argmax", "argsort", "atan", "ceil", "clone", "cos", "count_nonzero", "diff", "erf", "exp",
            "expm1", "floor", "isfinite", "isinf", "isnan", "logical_not", "mean", "median", "min", "neg", "nonzero",
            "prod", "ravel", "reciprocal", "relu", "round", "selu", "sgn", "sigmoid", "sign", "signbit", "sin", "sort",
            "square", "squeeze", "std", "sum", "tanh", "trunc", "var", "var_mean",
        )
    },
    **{
        name: binary(getattr(torch, name))
        for name in (
            "add", "atan2", "div", "eq", "fmod", "ge", "gt", "le", "logaddexp", "logical_and", "lt", "max", "maximum",
            "minimum", "mul", "ne", "pow", "remainder", "sub", "true_divide",
        )
    },
    **{
        name: functools.partial(lambda function, lab: function(lab.floats(N, M, D)), getattr(F, name))
        for name in (
            "celu", "elu", "gelu", "hardtanh", "leaky_relu", "logsigmoid", "mish", "relu6", "silu", "softplus",
            "softsign",
        )
    },
    "log": lambda lab: (lab.floats(N, M).abs() + 0.1).log(),
    "sqrt": lambda lab: (lab.floats(N, M).abs() + 0.1).sqrt().rsqrt(),
    "clamp": lambda lab: lab.floats(N, M).clamp(-0.5, 0.5),
    "softmax": lambda lab: (x := lab.floats(N, M, D)).softmax(1) + x.log_softmax(-1) + F.softmin(x, 0),
    "logsumexp": lambda lab: (x := lab.floats(N, M, D)).logsumexp((0, 2)).sum() + x.logsumexp(1),
    "logcumsumexp": lambda lab: lab.floats(N, M).logcumsumexp(1),
    "cumsum": lambda lab: (x := lab.floats(N, M)).cumsum(0) + x.cumprod(1) + x.cummax(1).values,
    "matmul": lambda lab: (a := lab.floats(N, M, D)) @ lab.floats(D, 4) @ lab.floats(4) + a @ lab.floats(D),
    "bmm": lambda lab: torch.bmm(lab.floats(N, M, D), lab.floats(N, D, 4)),
    "baddbmm": lambda lab: torch.baddbmm(lab.floats(N, 1, 4), lab.floats(N, M, D), lab.floats(N, D, 4), alpha=0.5),
    "addmm": lambda lab: torch.addmm(lab.floats(4), lab.floats(M, D), lab.floats(D, 4)),
    "outer": lambda lab: torch.outer(lab.floats(M), lab.floats(D)) + torch.dot(lab.floats(D), lab.floats(D)),
    "tensordot": lambda lab: torch.tensordot(lab.floats(N, M, D), lab.floats(D, M), dims=([1, 2], [1, 0])),
    "einsum": lambda lab: torch.einsum("bij,jk->bik", lab.floats(N, M, D), lab.floats(D, 4)),
    "addcmul": lambda lab: torch.addcmul(lab.floats(M), lab.floats(M), lab.floats(M), value=2),
    "lerp": lambda lab: torch.lerp(lab.floats(M), lab.floats(M), 0.3),
    "linear": lambda lab: F.linear(lab.floats(N, M, D), lab.floats(4, D), lab.floats(4)),
    "bilinear": lambda lab: F.bilinear(lab.floats(N, M), lab.floats(N, D), lab.floats(4, M, D)),
    "gather": lambda lab: lab.floats(N, M).gather(1, lab.ints(0, M, N, 2)),
    "take_along_dim": lambda lab: torch.take_along_dim(lab.floats(N, M), lab.ints(0, M, N, 2), 1),
    "scatter": lambda lab: lab.floats(N, M).scatter(1, lab.ints(0, 1, N, 1), lab.floats(N, 1)),
    "scatter_add": lambda lab: lab.floats(N, M).scatter_add(1, lab.ints(0, M, N, 2), lab.floats(N, 2)),
    "index_select": lambda lab: lab.floats(N, M).index_select(1, lab.ints(0, M, 4)),
    "index_add": lambda lab: lab.floats(N, M).index_add(0, lab.ints(0, N, 2), lab.floats(2, M)),
    "index_fill": lambda lab: lab.floats(N, M).index_fill(0, lab.ints(0, N, 2), torch.tensor(2.0)),
    "index_copy": lambda lab: lab.floats(N, M).index_copy(0, lab.ints(1, 2, 1), lab.floats(1, M)),
    "indexing": lambda lab: (x := lab.floats(N, M, D))[lab.ints(0, N, 2), :, lab.ints(0, D, 2)] + x[1, :, None, 0].mT,
    "index_put": lambda lab: lab.floats(N, M).index_put((lab.ints(0, N, 1), lab.ints(0, M, 1)), lab.floats(1)),
    "masked_select": lambda lab: lab.floats(N, M)[lab.bools(N, M)],
    "masked_fill": lambda lab: lab.floats(N, M).masked_fill(lab.bools(M), 0.5),
    "masked_scatter": lambda lab: lab.floats(N, M).masked_scatter(lab.bools(N, M), lab.floats(N, M)),
    "where": lambda lab: torch.where(lab.bools(N, M), lab.floats(N, M), 0.0) + torch.where(lab.bools(M), 1.0, 2.0),
    "topk": lambda lab: lab.floats(N, M).topk(2, dim=1),
    "kthvalue": lambda lab: lab.floats(N, M).kthvalue(2),
    "max_of_rows": lambda lab: lab.floats(N, M).max(dim=1),
    "aminmax": lambda lab: tuple(lab.floats(N, M).detach().aminmax(dim=1)),
    "norms": lambda lab: (x := lab.floats(N, M)).norm() + torch.linalg.vector_norm(x, 1, dim=1) + x.norm(dim=1, p=2),
    "cat": lambda lab: torch.cat((lab.floats(N, M), lab.floats(2, M))),
    "stack": lambda lab: torch.stack((lab.floats(N, M), lab.floats(N, M)), -1),
    "split": lambda lab: [*(x := lab.floats(N, D)).split([2, 5], 1), *x.chunk(2, 1), *x.unbind(0)],
    "tensor_split": lambda lab: lab.floats(N, D).tensor_split(3, 1),
    "repeat": lambda lab: (x := lab.floats(N, M)).repeat(2, 1) + x.repeat_interleave(2, 0) + x.tile(2, 1),
    "roll": lambda lab: (x := lab.floats(N, M)).roll(2, 1) + x.flip(0),
    "pad": lambda lab: (F.pad(x := lab.floats(N, M), (1, 2), value=3.0), F.pad(x, (1, 1), mode="reflect")),
    "triangles": lambda lab: (x := lab.floats(M, D)).triu(1) + x.tril(-1) + torch.diag_embed(x).sum(1),
    "tril_indices": lambda lab: torch.tril_indices(M, D, device=lab.device),
    "reshape": lambda lab: (x := lab.floats(N, M, D)).permute(2, 0, 1).reshape(D, -1) + x.flatten(0, 1).t(),
    "embedding": lambda lab: F.embedding(lab.ints(0, M, N, 4), lab.floats(M, D), padding_idx=0),
    "embedding_bag": lambda lab: F.embedding_bag(lab.ints(0, M, N, 4), lab.floats(M, D)),
    "one_hot": lambda lab: F.one_hot(lab.ints(0, M, N), M),
    "layer_norm": lambda lab: F.layer_norm(lab.floats(N, M, D), (D,), lab.floats(D), lab.floats(D)),
    "cross_entropy": lambda lab: F.cross_entropy(lab.floats(N, M), lab.ints(0, M, N), reduction="none"),
    "nll_loss": lambda lab: F.nll_loss(lab.floats(N, M).log_softmax(1), lab.ints(0, M, N), ignore_index=2),
    "binary_cross_entropy": lambda lab: F.binary_cross_entropy_with_logits(lab.floats(N, M), lab.bools(N, M).float()),
    "kl_div": lambda lab: F.kl_div(lab.floats(N, M).log_softmax(1), lab.floats(N, M).softmax(1), reduction="batchmean"),
    "mse_loss": lambda lab: F.mse_loss(x := lab.floats(N, M), y := lab.floats(N, M)) + F.smooth_l1_loss(x, y),
    "l1_loss": lambda lab: F.l1_loss(x := lab.floats(N, M), y := lab.floats(N, M)) + F.huber_loss(x, y),
    "cosine_similarity": lambda lab: F.cosine_similarity(lab.floats(N, 1, D), lab.floats(M, D), dim=-1),
    "cdist": lambda lab: torch.cdist(lab.floats(N, D), lab.floats(M, D)),
    "interpolate": lambda lab: F.interpolate(lab.floats(N, 2, M), scale_factor=2.0, mode="linear"),
    "searchsorted": lambda lab: torch.searchsorted(lab.floats(M).sort().values, lab.floats(N)),
    "bincount": lambda lab: torch.bincount(lab.ints(0, M, 9), minlength=6),
    "histc": lambda lab: torch.histc(lab.floats(9).detach(), bins=4, min=-1, max=1),
    "unique": lambda lab: torch.unique(lab.ints(0, 3, 9), return_inverse=True),
    "unique_consecutive": lambda lab: torch.unique_consecutive(lab.ints(0, 2, 9), return_counts=True),
    "isin": lambda lab: torch.isin(lab.ints(0, M, 9), lab.ints(0, M, 2)),
    "integers": lambda lab: (x := lab.ints(1, 50, N, M)) // 3 + x % 7 + x.div(4, rounding_mode="floor") + (x << 1),
    "logic": lambda lab: ((a := lab.bools(N, M)) & (b := lab.bools(M))) ^ (a | ~b),
    "any_and_all": lambda lab: ((x := lab.bools(N, M)).any(1), x.all(0), x.sum(), x.any(), x.float().mean(1)),
    "quantile": lambda lab: lab.floats(N, M).quantile(0.3, dim=1) + lab.floats(9).median(),
    "inverse": lambda lab: torch.linalg.inv(lab.floats(4, 4) + 5 * torch.eye(4, device=lab.device)),
    "svd": lambda lab: torch.linalg.svdvals(lab.floats(M, D)),
    "fourier": lambda lab: torch.fft.irfft(torch.fft.rfft(lab.floats(N, 8)) * 2),
    "pooling": lambda lab: F.adaptive_avg_pool1d(x := lab.floats(N, 2, 8), 4) + F.max_pool1d(x, 2),
    "conversions": lambda lab: (x := lab.floats(N, M)).long().float() + x.int().bool().float() + x.double().float(),
    "factories": lambda lab: [
        make(3, device=lab.device) for make in (torch.zeros, torch.ones, torch.arange, torch.eye)
    ],
    "ranges": lambda lab: (torch.linspace(0, 1, 5, device=lab.device), torch.full((2, 3), 7, device=lab.device)),
    "likes": lambda lab: (torch.zeros_like(x := lab.floats(N)), torch.full_like(x, 2), x.new_full((2,), 3)),
    "tensors": lambda lab: torch.tensor([[1, 2]], device=lab.device) + torch.as_tensor([5, 6], device=lab.device),
    "meshgrid": lambda lab: torch.meshgrid(lab.floats(2), lab.floats(3), indexing="ij"),
    "cartesian": lambda lab: torch.cartesian_prod(lab.ints(0, 9, 2), lab.ints(0, 9, 3)),
    "inplace": lambda lab: lab.floats(N, M).mul(1).add_(1).mul_(2).clamp_(max=3).div_(2).sub_(1).sigmoid_(),
    "out_argument": lambda lab: torch.add(x := lab.ints(0, 9, N, M), 1, out=x.new_empty(0)),
}  # fmt: skip

for name, function in OPERATORS.items():
    SNIPPETS[f"operator_{name}"] = Snippet(f"operator_{name}", function)
