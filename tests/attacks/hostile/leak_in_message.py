"""Puts the hidden inputs into an exception's message."""
# expect: * = error


def leak(*args):
    raise ValueError(repr(args))


add = echo = apply = scale = table = Counter = leak
