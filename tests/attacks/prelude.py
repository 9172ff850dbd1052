"""Stands before every hostile module: the right functions, and what attacks have in common.

An attack that must come to nothing is made with ``must_fail``; one that came to something makes ``add`` raise, so that
the first criterion is no longer passed and its message says what worked.
"""

import ctypes
import errno
import gc  # noqa: F401  # for the attacks
import os
import sys

import torch  # noqa: F401  # for the attacks

ESCAPES = []
COURSE = SUBMISSIONS = OUT = LEVEL = ""  # the harness says where things are, as if the attacker knew


def must_fail(what, attempt, *args):
    """Run the attempt; unless it raises, it is an escape."""
    try:
        result = attempt(*args)
    except (Exception, SystemExit):
        return
    ESCAPES.append(f"{what}: {result!r}"[:200])


def must_be_refused(what, number, *args):
    """Make a raw system call, which must be refused before the kernel looks at its arguments."""
    libc = ctypes.CDLL(None, use_errno=True)
    result = libc.syscall(ctypes.c_long(number), *(ctypes.c_long(value) for value in args))
    if result != -1 or ctypes.get_errno() not in (errno.EPERM, errno.ENOSYS, errno.EACCES):
        ESCAPES.append(f"{what}: {result}, {errno.errorcode.get(ctypes.get_errno())}")


def serving():
    """The frame of the loop that talks with the judge: its channel and the number of the call under way."""
    frame = sys._getframe()
    while frame.f_code.co_name != "serve":
        frame = frame.f_back
    return frame.f_locals


def channel():
    """The descriptor of the channel."""
    return serving()["descriptor"]


def number():
    """The number of the call under way."""
    return serving()["number"]


def put(data):
    """Write raw bytes to the judge."""
    while data:
        data = data[os.write(channel(), data) :]


def frame(kind, call, fields, *, payload=b""):
    """A well-formed frame with any contents."""
    from grader.wire.codec import LENGTHS, Writer, msgspec

    writer = Writer()
    head = msgspec.msgpack.encode(writer.tree((kind, call, fields)))
    payload = b"".join(writer.parts) + payload
    return LENGTHS.pack(len(head), len(payload)) + head + payload


def raw_frame(head, payload=b""):
    """A frame around a header of any bytes."""
    return len(head).to_bytes(4, "big") + len(payload).to_bytes(4, "big") + head + payload


def instead(data):
    """Answer the call under way with these bytes, and with nothing else."""
    from grader.worker import loop

    honest = loop.Channel.send

    def silent(*args):
        loop.Channel.send = honest

    put(data)
    loop.Channel.send = silent


def add(a, b):
    if ESCAPES:
        raise RuntimeError("escaped: " + "; ".join(ESCAPES))
    return a + b


def echo(x):
    return x


def apply(function, x):
    return function(x)


def scale(x):
    return 3 * x


def table(n):
    return sum(range(n))


class Counter:
    def __init__(self, start):
        self.value = start

    def next(self):
        self.value += 1
        return self.value
