"""A hook of its own, which cannot be taken back, says no to whatever Python does from now on."""
# expect: * = passed | error | failed | crashed

import sys

COUNT = [0]


def hook(event, args):
    COUNT[0] += 1
    if COUNT[0] > 200:
        raise RuntimeError("no")


sys.addaudithook(hook)
