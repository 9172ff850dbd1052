"""Returns numbers, texts, lists and dicts of classes that lie about what they are."""
# expect: * = failed | error
# expect: counter = passed


class Number(int):
    def __eq__(self, other):
        return True

    def __hash__(self):
        return 0

    def __sub__(self, other):
        return 0

    __rsub__ = __sub__

    def __int__(self):
        return 10**30

    __index__ = __trunc__ = __int__


class Text(str):
    def __eq__(self, other):
        return True

    def __hash__(self):
        return 0

    def __str__(self):
        return self


class Items(list):
    def __eq__(self, other):
        return True

    def __len__(self):
        return 4

    def __iter__(self):
        yield from (Text("a"), Number(0), Text("b"), Number(1))


class Mapping(dict):
    def items(self):
        return [(Text("a"), 1)]

    def keys(self):
        return self

    __eq__ = Items.__eq__


def add(a, b):
    return Number(0)


def echo(x):
    return Items()


def apply(function, x):
    return Mapping()


def scale(x):
    return Text("tensor")


def table(n):
    return Number(-1)
