"""Multiplies matrices for ever."""
# expect: scale = timeout
# expect: * = passed


def scale(x):
    big = torch.ones(2000, 2000)
    while True:
        big = big @ big / 2000
