"""Raises with a text of a hundred megabytes."""
# expect: apply = error
# expect: * = passed


def apply(function, x):
    raise ValueError("x" * 10**8)
