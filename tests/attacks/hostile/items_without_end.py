"""A dict whose items never end, and one that grows while it is read."""
# expect: echo, echo_any = timeout | memory | error
# expect: counter = error | failed | missing | timeout


class Endless(dict):
    def items(self):
        while True:
            yield "again", 1


def echo(x):
    return Endless(a=1)


class Counter:
    def __init__(self, start):
        self.numbers = {"a": 1}

    def next(self):
        class Growing(dict):
            def items(growing):
                for key in growing:
                    growing[key + "a"] = 1
                    yield key, 1

        return Growing(a=1)
