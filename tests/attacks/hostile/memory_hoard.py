"""Keeps nearly all that it may have, and answers rightly."""
# expect: * = passed

import numpy

HOARD = [numpy.empty(1 << 24) for _ in range(6)]
HOARD += [numpy.ones(1 << 22)]
