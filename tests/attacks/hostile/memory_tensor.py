"""Asks for a tensor of a terabyte."""
# expect: scale = memory
# expect: * = passed


def scale(x):
    return torch.ones(1 << 38)
