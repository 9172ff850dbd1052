"""Sends headers that are no msgpack, or msgpack of the wrong kinds."""
# expect: add, add_any, echo, echo_any, apply, scale, table = tampered


def add(a, b):
    put(raw_frame(b"\xc1" * 50))


def echo(x):
    put(raw_frame(b"\xd9\x05\xff\xfe\xfd\xfc\xfb"))  # a text that is not UTF-8


def apply(function, x):
    put(raw_frame(b"\xdd\xff\xff\xff\xff"))  # an array of four billion items


def scale(x):
    put(raw_frame(b"\xd7\xff" + b"\xff" * 8))  # a time stamp that is none


def table(n):
    put(raw_frame(b"\x81\xc0\xc0"))  # a map
