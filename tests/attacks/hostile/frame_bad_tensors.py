"""Sends tensors with impossible shapes and types, and payloads that do not fit."""
# expect: add, add_any, echo, echo_any, apply, scale, table = tampered

import msgspec


def put_value(tree, payload=b""):
    fields = [2, "value", tree]
    put(raw_frame(msgspec.msgpack.encode([1, "reply", number(), fields]), payload))


def add(a, b):
    put_value([3, "float32", [0, 1 << 26, 1 << 26, 1 << 26]])  # nothing, of an impossible shape


def echo(x):
    put_value([3, "float32", [-1, 4]], bytes(16))


def apply(function, x):
    put_value([3, "quint8", [4]], bytes(4))


def scale(x):
    put_value([3, "float64", [1, 3]], bytes(8))


def table(n):
    put_value([3, "float64", [1]], bytes(64))
