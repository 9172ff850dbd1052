"""Takes memory page by page and writes to each, until there is none or its time is up."""
# expect: table = memory | error | timeout
# expect: * = passed

import mmap


def table(n):
    hoard = []
    while True:
        page = mmap.mmap(-1, 1 << 26)
        for start in range(0, 1 << 26, 4096):
            page[start] = 1
        hoard.append(page)
