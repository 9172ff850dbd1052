"""Uses far too much memory for so short a time that someone who looks now and then may miss it."""
# expect: table = failed
# expect: * = passed

import mmap


def table(n):
    page = mmap.mmap(-1, 16 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    for start in range(0, 16 << 20, 4096):
        page[start] = 1
    page.close()
    return sum(range(n))
