"""Returns a sparse tensor."""
# expect: scale = failed | error | crashed
# expect: * = passed


def scale(x):
    return (3 * x).to_sparse()
