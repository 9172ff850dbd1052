"""Gradients of another shape and another type, and a crash on the way back."""
# expect: scale = error | failed | crashed

import torch


class Odd(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return 3 * x

    @staticmethod
    def backward(ctx, gradient):
        return torch.full((7, 5), 3, dtype=torch.int64)


scale = Odd.apply
