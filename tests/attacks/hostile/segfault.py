"""Reads where there is nothing."""
# expect: table = crashed
# expect: * = passed


def table(n):
    ctypes.string_at(0)
