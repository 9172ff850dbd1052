"""Puts the hidden inputs into the name of an exception's class."""
# expect: * = error


def leak(*args):
    raise type(repr(args), (Exception,), {})


add = echo = apply = scale = table = Counter = leak
