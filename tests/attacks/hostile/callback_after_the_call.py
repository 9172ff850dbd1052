"""Keeps the judge's function and calls it when it is no longer its turn."""
# expect: scale = tampered
# expect: * = passed

KEPT = []


def apply(function, x):
    KEPT.append(function)
    return function(x)


def scale(x):
    KEPT[0](1)
    return 3 * x
