"""Sends integers that are none, or of too many digits, and handles and texts of the wrong form."""
# expect: add, add_any, echo, echo_any, apply, scale, table = tampered

import msgspec


def put_value(tree):
    put(raw_frame(msgspec.msgpack.encode([1, "reply", number(), [2, "value", tree]])))


def add(a, b):
    put_value([6, "9" * 100_000])


def echo(x):
    put_value([6, "--5"])


def apply(function, x):
    put_value([4, "zero", 0])


def scale(x):
    put_value([2, [0, 1], 2])  # a dict with a list for a key


def table(n):
    put_value([99, 1])
