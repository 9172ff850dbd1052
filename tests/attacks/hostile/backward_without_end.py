"""The gradient never comes."""
# expect: scale = timeout

import torch


class Endless(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return 3 * x

    @staticmethod
    def backward(ctx, gradient):
        while True:
            pass


scale = Endless.apply
