"""Takes memory until there is none."""
# expect: table = memory
# expect: * = passed

import numpy


def table(n):
    hoard = []
    while True:
        hoard.append(numpy.empty(1 << 24))
