"""Makes a list without end."""
# expect: table = memory | timeout
# expect: * = passed


def table(n):
    return list(iter(int, 1))
