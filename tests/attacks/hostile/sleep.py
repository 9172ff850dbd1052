"""Sleeps."""
# expect: apply = timeout
# expect: * = passed

import time


def apply(function, x):
    time.sleep(10_000)
