"""Waits for a lock that nobody gives back."""
# expect: apply = timeout
# expect: * = passed

import threading


def apply(function, x):
    lock = threading.Lock()
    lock.acquire()
    lock.acquire()
