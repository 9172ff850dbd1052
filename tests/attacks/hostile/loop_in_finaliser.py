"""Hangs when an object is thrown away."""
# expect: apply = timeout
# expect: * = passed


class Sticky:
    def __del__(self):
        while True:
            pass


def apply(function, x):
    Sticky()
    return function(x)
