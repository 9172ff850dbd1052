"""Returns subclasses of plain types that raise, exit or hang when they are made plain."""
# expect: add, add_any = memory | crashed
# expect: echo, echo_any, apply, scale = error | crashed
# expect: table = timeout


class Raises(int):
    def __int__(self):
        raise MemoryError

    __index__ = __trunc__ = __int__


class Exits(str):
    def __str__(self):
        sys.exit(0)


class Wrong(float):
    def __float__(self):
        raise KeyError("no float")


class Unhashable(dict):
    def items(self):
        return [([], 1)]


class Hangs(int):
    def __int__(self):
        while True:
            pass

    __index__ = __trunc__ = __int__


def add(a, b):
    return Raises(3)


def echo(x):
    return [Exits("x")]


def apply(function, x):
    return Wrong(1)


def scale(x):
    return Unhashable()


def table(n):
    return Hangs(1)
