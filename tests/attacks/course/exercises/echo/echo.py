"""Small functions, each of which suits some attacks."""

import torch


def add(a: int, b: int) -> int:
    """The sum of two numbers."""
    raise NotImplementedError("add is yours to write")


def echo(x):
    """The argument itself."""
    raise NotImplementedError("echo is yours to write")


def apply(function, x):
    """What the function returns for x."""
    raise NotImplementedError("apply is yours to write")


def scale(x: torch.Tensor) -> torch.Tensor:
    """Three times x."""
    raise NotImplementedError("scale is yours to write")


def table(n: int) -> int:
    """The sum of the numbers below n, in little memory."""
    raise NotImplementedError("table is yours to write")


class Counter:
    """Counts on from a number."""

    def __init__(self, start: int) -> None:
        raise NotImplementedError("Counter.__init__ is yours to write")

    def next(self) -> int:
        """The next number."""
        raise NotImplementedError("Counter.next is yours to write")
