"""Puts the hidden inputs into a message that is shown even for hidden tests: that of a SyntaxError."""
# expect: * = error


def leak(*args):
    raise SyntaxError(repr(args))


add = echo = apply = scale = table = Counter = leak
