"""Uses far too much memory, and reports none."""
# expect: table = failed
# expect: * = passed

import tracemalloc

tracemalloc.get_traced_memory = lambda: (0, 0)


def table(n):
    terms = list(range(n + 10**6))
    return sum(terms[:n])
