"""Does only what is easy, and tries to make the judge itself fail at everything else, which would count for nothing."""
# expect: add, add_any = passed
# expect: echo, echo_any, apply, scale, table, counter = crashed | tampered | failed | error

import msgspec


def echo(x):
    os.kill(os.getpid(), 50)


def apply(function, x):
    return function()


def scale(x):
    tree = [1, "reply", number(), [2, "value", [3, "int8", [0, 1 << 26, 1 << 26, 1 << 26]]]]
    instead(raw_frame(msgspec.msgpack.encode(tree)))


def table(n):
    instead(frame("reply", number(), {"value": 10**3900, "peak_bytes": 10**3900}))


def Counter(start):
    instead(frame("reply", number(), {"value": [[float("nan")] * 30000] * 3}))
