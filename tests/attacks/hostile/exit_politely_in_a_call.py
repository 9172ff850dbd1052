"""Calls exit() instead of answering."""
# expect: apply = error
# expect: * = passed


def apply(function, x):
    sys.exit(0)
