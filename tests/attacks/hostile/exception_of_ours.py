"""Forges a failure that names the grader's own exceptions and asks for another verdict."""
# expect: add, add_any, echo, echo_any = error
# expect: apply = missing
# expect: scale = memory
# expect: table = tampered


def forge(*types):
    instead(frame("failure", number(), {"types": types, "message": "m", "frames": ("test_echo.py:1",)}))


def add(a, b):
    forge("ZygoteDied", "JudgeFault", "KeyboardInterrupt", "Exit", "Skipped")


def echo(x):
    forge()


def apply(function, x):
    instead(frame("name_missing", number(), {"name": "x" * 10_000, "near": "\x1b[31m" * 1000}))


def scale(x):
    forge(*["MemoryError"] * 1000)


def table(n):
    put(frame("failure", number(), {"types": ("E",), "message": "m", "verdict": "passed", "frames": 7}))
