"""Raises what is no Exception."""
# expect: add, add_any = crashed | error
# expect: echo, echo_any = crashed | error
# expect: apply = crashed | error
# expect: * = passed


class Worst(BaseException):
    pass


def add(a, b):
    raise KeyboardInterrupt


def echo(x):
    raise GeneratorExit


def apply(function, x):
    raise Worst
