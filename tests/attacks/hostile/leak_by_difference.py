"""Returns zeros, so that the largest difference from what is expected is the expected value itself."""
# expect: scale = failed
# expect: * = passed


def scale(x):
    return x * 0
