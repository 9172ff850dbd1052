"""Returns handles to objects that do not exist, and numbers that no object has."""
# expect: counter = crashed | error | tampered | failed
# expect: add, add_any, echo, echo_any = failed
# expect: * = passed

from grader.wire.messages import Handle


def handle(id):
    instead(frame("reply", number(), {"value": Handle(id, "x" * 5000)}))


def Counter(start):
    handle(-(1 << 60))


def add(a, b):
    handle(1 << 62)


def echo(x):
    return [Handle(0, "list"), Handle(1, "str")]
