"""Puts the hidden inputs into the name of the class of a result."""
# expect: * = failed
# expect: counter = missing


def leak(*args):
    return type(repr(args), (), {})()


add = echo = apply = scale = table = Counter = leak
