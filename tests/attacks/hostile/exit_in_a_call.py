"""Ends the process with status 0 instead of answering."""
# expect: apply = crashed
# expect: * = passed


def apply(function, x):
    os._exit(0)
