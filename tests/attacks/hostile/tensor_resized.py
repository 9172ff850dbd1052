"""Returns a tensor whose storage is smaller than it says."""
# expect: scale = failed | error | crashed
# expect: * = passed


def scale(x):
    result = 3 * x.detach()
    result.untyped_storage().resize_(0)
    return result
