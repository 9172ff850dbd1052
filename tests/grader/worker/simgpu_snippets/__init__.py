"""Snippets in the style of students' answers, right and wrong, on which simulated and real devices must agree.

A snippet is a function of a ``Lab``, which hands out inputs on the device in question. It returns tensors, and plain
numbers if it likes. ``python -m simgpu_snippets DEVICE`` runs them all and prints what became of each, as JSON.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch


class Snippet(NamedTuple):
    name: str
    function: Callable[[Lab], object]
    errors: tuple[str, ...] = ()  # how the exception begins that it must end in; none if it is right
    simulated_only: bool = False  # a real GPU has other random numbers, and a .cuda()


SNIPPETS: dict[str, Snippet] = {}


class OutputElsewhereError(Exception):
    """A result is not on the device of the inputs: what a test of devices must look at besides exceptions."""


class Lab:
    """Inputs and modules on a device, the same values whatever the device is."""

    def __init__(self, device: str) -> None:
        self.device = device
        self.leaves: list[torch.Tensor] = []
        self.generator = torch.Generator().manual_seed(5)

    def floats(self, *shape: int) -> torch.Tensor:
        x = torch.randn(shape, generator=self.generator).to(self.device).requires_grad_()
        self.leaves.append(x)
        return x

    def ints(self, low: int, high: int, *shape: int) -> torch.Tensor:
        return torch.randint(low, high, shape, generator=self.generator).to(self.device)

    def bools(self, *shape: int) -> torch.Tensor:
        return (torch.rand(shape, generator=self.generator) < 0.6).to(self.device)

    def module(self, module: torch.nn.Module) -> torch.nn.Module:
        """The module on the device, with weights of our choice."""
        with torch.no_grad():
            for parameter in module.parameters():
                parameter.copy_(torch.randn(parameter.shape, generator=self.generator) / 3)
        module.to(self.device)
        self.leaves.extend(module.parameters())
        return module


def wrong(*errors: str, simulated_only: bool = False) -> Callable[..., Callable[[Lab], object]]:
    """It works on the CPU; on a GPU it ends in one of these errors."""

    def register(function: Callable[[Lab], object]) -> Callable[[Lab], object]:
        SNIPPETS[function.__name__] = Snippet(function.__name__, function, errors, simulated_only)
        return function

    return register


def right(function: Callable[[Lab], object], *, simulated_only: bool = False) -> Callable[[Lab], object]:
    """It gives the same values and gradients everywhere."""
    SNIPPETS[function.__name__] = Snippet(function.__name__, function, (), simulated_only)
    return function


from simgpu_snippets import operators, right_answers, wrong_answers  # noqa: E402, F401  # they register theirs
