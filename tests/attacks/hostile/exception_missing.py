"""Pretends that nothing was handed in."""
# expect: * = missing


def nothing(*args):
    raise NotImplementedError("not yet")


add = echo = apply = scale = table = Counter = nothing
