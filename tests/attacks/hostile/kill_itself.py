"""Kills itself by each kind of signal: the usual ones, and a real-time signal that has no name."""
# expect: add, add_any = crashed
# expect: echo, echo_any = crashed
# expect: apply, scale, table = crashed


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
