"""Raises a number to a power that takes for ever."""
# expect: table = timeout | memory
# expect: * = passed


def table(n):
    return len(str(7 ** (10**8)))
