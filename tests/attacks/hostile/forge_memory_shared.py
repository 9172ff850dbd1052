"""Uses far too much memory, but shared memory, which counts of private memory miss."""
# expect: table = failed
# expect: * = passed

import mmap
import time


def table(n):
    page = mmap.mmap(-1, 32 << 20)
    for start in range(0, 32 << 20, 4096):
        page[start] = 1
    time.sleep(0.1)
    return sum(range(n))
