"""Raises something whose text never comes, or ends the process, or is no text."""
# expect: table = timeout
# expect: apply, scale, echo, echo_any = error | crashed
# expect: * = passed


class Hangs(Exception):
    def __str__(self):
        while True:
            pass


class Exits(Exception):
    def __str__(self):
        sys.exit(0)


class Nothing(Exception):
    def __str__(self):
        return None


class Raises(Exception):
    def __str__(self):
        raise KeyboardInterrupt


def table(n):
    raise Hangs


def apply(function, x):
    raise Exits


def scale(x):
    raise Nothing


def echo(x):
    raise Raises
