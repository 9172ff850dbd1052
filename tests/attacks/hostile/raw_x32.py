"""Calls the kernel by the numbers of x32, which a filter on numbers alone would let through."""
# expect: table = crashed
# expect: * = passed


def table(n):
    ctypes.CDLL(None).syscall(ctypes.c_long(0x40000000 | 57))
    ESCAPES.append("an x32 call returned")
    return sum(range(n))
