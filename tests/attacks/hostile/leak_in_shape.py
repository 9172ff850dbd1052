"""Puts the hidden inputs into the shape of a result."""
# expect: scale = failed
# expect: * = passed


def scale(x):
    return x.new_zeros([int(digit) for digit in str(int(x[0, 0]))] + [0])
