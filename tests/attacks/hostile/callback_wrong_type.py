"""Asks with an argument that the test's function cannot work with, and swallows the failure."""
# expect: apply = failed | error | tampered
# expect: * = passed


def apply(function, x):
    try:
        return function([{}])
    except BaseException:
        return 0
