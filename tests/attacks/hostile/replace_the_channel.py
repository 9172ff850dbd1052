"""Puts something else in the place of the channel's descriptor."""
# expect: apply = crashed
# expect: * = passed


def apply(function, x):
    os.dup2(0, channel())
    return function(x)
