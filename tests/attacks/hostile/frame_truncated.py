"""Sends half a frame and ends, or half a frame and then nothing."""
# expect: apply = crashed
# expect: table = timeout
# expect: * = passed


def apply(function, x):
    put(frame("reply", number(), {"value": 1})[:-3])
    os._exit(0)


def table(n):
    put(frame("reply", number(), {"value": 1})[:-3])
    while True:
        pass
