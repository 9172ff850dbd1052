"""Sends replies whose fields have the wrong types."""
# expect: * = tampered


def add(a, b):
    put(frame("reply", number(), {"value": a + b, "peak_bytes": "none"}))


def echo(x):
    put(frame("reply", number(), {"value": x, "args": {1: 2}}))


def apply(function, x):
    put(frame("reply", True, {"value": x}))


def scale(x):
    put(frame("reply", number(), {"value": x, "gradients": x}))


def table(n):
    put(frame("reply", number(), [("value", n)]))


def Counter(start):
    put(frame("reply", number(), {"value": start, "kwargs": torch.ones(2)}))
