"""Claims frames of four gigabytes."""
# expect: add, add_any, echo, echo_any = tampered
# expect: * = passed


def add(a, b):
    put(b"\xff" * 4 + b"\x00" * 4 + b"x" * 100)


def echo(x):
    put(b"\x00\x00\x00\x05\xff\xff\xff\xff" + b"x" * 100)
