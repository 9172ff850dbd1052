"""Loops for ever, and swallows whatever would stop it."""
# expect: table = timeout
# expect: * = passed


def table(n):
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
