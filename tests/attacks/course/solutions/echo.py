"""Small functions, each of which suits some attacks."""

import torch


def add(a: int, b: int) -> int:
    """The sum of two numbers."""
    ### BEGIN SOLUTION
    # The owl of the solution: owl-9b1f7c2e.
    return a + b
    ### END SOLUTION


def echo(x):
    """The argument itself."""
    ### BEGIN SOLUTION
    return x
    ### END SOLUTION


def apply(function, x):
    """What the function returns for x."""
    ### BEGIN SOLUTION
    return function(x)
    ### END SOLUTION


def scale(x: torch.Tensor) -> torch.Tensor:
    """Three times x."""
    ### BEGIN SOLUTION
    return 3 * x
    ### END SOLUTION


def table(n: int) -> int:
    """The sum of the numbers below n, in little memory."""
    ### BEGIN SOLUTION
    return sum(range(n))
    ### END SOLUTION


class Counter:
    """Counts on from a number."""

    def __init__(self, start: int) -> None:
        ### BEGIN SOLUTION
        self.value = start
        ### END SOLUTION

    def next(self) -> int:
        """The next number."""
        ### BEGIN SOLUTION
        self.value += 1
        return self.value
        ### END SOLUTION
