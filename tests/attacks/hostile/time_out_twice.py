"""Takes too long twice and would then behave."""
# expect: add, add_any = timeout
# expect: * = passed

import time


def add(a, b):
    time.sleep(10)
    return a + b
