"""Sends messages of unknown kinds and messages that only the judge may send."""
# expect: add, add_any, echo, echo_any, apply, scale, table = tampered


def add(a, b):
    put(frame("verdict", number(), {"value": "passed"}))


def echo(x):
    put(frame("answer", number(), {"value": x}))


def apply(function, x):
    put(frame("load", number(), {"name": "echo", "sources": {}}))


def scale(x):
    put(frame("reply", number(), {}))


def table(n):
    put(frame("failure", number(), {"types": 5, "message": []}))
