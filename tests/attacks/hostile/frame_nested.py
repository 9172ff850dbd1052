"""Sends a header of a hundred thousand nested arrays, and one that is nested just as deep as may be."""
# expect: add, add_any, echo, echo_any = tampered
# expect: * = passed


def add(a, b):
    put(raw_frame(b"\x91" * 200_000))


def echo(x):
    put(raw_frame(b"\x92\x00" * 41 + b"\xc0"))
