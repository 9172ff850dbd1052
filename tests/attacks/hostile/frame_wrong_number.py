"""Answers a call that was not asked."""
# expect: add, add_any = tampered
# expect: echo, echo_any = tampered
# expect: * = passed


def add(a, b):
    put(frame("reply", number() - 1, {"value": a + b}))
    return a + b


def echo(x):
    put(frame("reply", number() + 1, {"value": x}))
    return x
