"""The value is wrong, and hooks make the gradient what it should be."""
# expect: scale = failed


def scale(x):
    x.register_hook(lambda gradient: gradient * 0 + 3)
    return x * 5
