"""Kills itself by each kind of signal: the usual ones, and a real-time signal that has no name.

The first process of a table does not obey itself, and returns nothing; where there is no table of its own, it dies.
"""
# expect: add, add_any = crashed | failed
# expect: echo, echo_any = crashed | failed
# expect: apply, scale, table = crashed | failed


def add(a, b):
    os.kill(os.getpid(), 9)


def echo(x):
    os.kill(os.getpid(), 40)


def apply(function, x):
    os.kill(os.getpid(), 63)


def scale(x):
    os.kill(os.getpid(), 31)


def table(n):
    os.kill(os.getpid(), 10)
