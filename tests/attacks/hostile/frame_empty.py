"""Sends frames without anything in them."""
# expect: add, add_any, echo, echo_any = tampered
# expect: * = passed


def add(a, b):
    put(bytes(8))


def echo(x):
    put(raw_frame(b"", b"payload"))
