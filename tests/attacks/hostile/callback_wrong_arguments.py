"""Asks with arguments of the wrong number and kind, so that the test's own function fails."""
# expect: apply = failed | error | tampered
# expect: * = passed


def apply(function, x):
    return function("no number", x, None)
