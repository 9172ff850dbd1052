"""Gives its object a class named after the hidden number, full of control characters, and hangs in it."""
# expect: counter = timeout
# expect: * = passed


def Counter(start):
    def next(self):
        while True:
            pass

    return type(f"\x1b[31m{start}\x07", (), {"next": next})()
