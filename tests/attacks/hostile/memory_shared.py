"""Takes shared memory, which limits on private memory miss."""
# expect: table = memory | error
# expect: * = passed

import mmap


def table(n):
    hoard = []
    while True:
        hoard.append(mmap.mmap(-1, 1 << 26))
