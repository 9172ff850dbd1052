"""Calls abort()."""
# expect: table = crashed
# expect: * = passed


def table(n):
    os.abort()
