"""Returns a list whose items never end."""
# expect: echo, echo_any = timeout | memory
# expect: * = passed


class Endless(list):
    def __iter__(self):
        while True:
            yield 1


def echo(x):
    return Endless()
