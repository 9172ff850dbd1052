"""Calls itself without end, with and without the limit that Python sets."""
# expect: apply = error
# expect: table = error | crashed | memory | timeout
# expect: * = passed


def apply(function, x):
    return apply(function, x)


def deep(n):
    return deep(n) + 1


def table(n):
    sys.setrecursionlimit(10**9)
    return deep(n)
