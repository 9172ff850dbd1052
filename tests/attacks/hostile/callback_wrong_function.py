"""Asks functions that it was not given, and functions where none were given."""
# expect: apply, add, add_any, scale = tampered
# expect: * = passed


def ask(function, *args):
    put(frame("question", number(), {"function": function, "args": args}))


def apply(function, x):
    ask(1, x)


def add(a, b):
    ask(0, a)


def scale(x):
    ask(-1, x)
