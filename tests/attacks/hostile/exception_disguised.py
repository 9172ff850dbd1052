"""Raises exceptions that pretend: of every class at once, of no class, in a circle, in a group of thousands."""
# expect: add, add_any, echo, echo_any, apply, scale, table = error | crashed | memory


class Meta(type):
    @property
    def __name__(cls):
        raise SystemExit

    @property
    def __mro__(cls):
        return ()


class Nameless(Exception, metaclass=Meta):
    pass


class All(ValueError, TypeError, KeyError, RuntimeError, AssertionError, ArithmeticError):
    pass


def add(a, b):
    raise Nameless


def echo(x):
    raise All("everything")


def apply(function, x):
    error = ValueError("circle")
    error.__cause__ = error.__context__ = error
    raise error


def scale(x):
    raise ExceptionGroup("many", [ValueError(str(i)) for i in range(10_000)])


def table(n):
    raise AssertionError("Mismatch")
