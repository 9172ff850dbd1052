"""Returns data that is nested too deep, or contains itself."""
# expect: echo, echo_any, add, add_any, apply = error
# expect: * = passed


def echo(x):
    value = []
    for _ in range(500):
        value = [value]
    return value


def add(a, b):
    value = []
    value.append(value)
    return value


def apply(function, x):
    value = {}
    value["self"] = value
    return value
