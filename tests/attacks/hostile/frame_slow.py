"""Sends a byte at a time, so that something always arrives."""
# expect: table = timeout
# expect: * = passed

import time


def table(n):
    for byte in frame("reply", number(), {"value": sum(range(n))}):
        put(bytes([byte]))
        time.sleep(0.4)
