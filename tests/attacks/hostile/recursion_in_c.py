"""Nests data so deep that C code recurses off its stack."""
# expect: add, add_any, echo, echo_any, apply, table = error | crashed | memory | timeout
# expect: * = passed

import copy
import json
import pickle
import re

sys.setrecursionlimit(10**8)


def nested(depth=10**5):
    value = []
    for _ in range(depth):
        value = [value]
    return value


def add(a, b):
    return json.dumps(nested())


def echo(x):
    return pickle.dumps(nested())


def apply(function, x):
    return repr(copy.deepcopy(nested()))


def table(n):
    return re.compile("(" * 10**5)
