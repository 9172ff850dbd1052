"""Keeps many threads busy outside of Python's lock, so that other students' code gets no processor."""
# expect: scale = timeout | passed
# expect: * = passed

import hashlib
import threading

block = bytes(1 << 24)
ctypes.CDLL(None).mallopt(-8, 1)  # one arena for all threads, so that memory allows many
threading.stack_size(65536)


def burn():
    while True:
        hashlib.sha256(block)


def scale(x):
    try:
        for _ in range(400):
            threading.Thread(target=burn, daemon=True).start()
    except RuntimeError:
        pass
    burn()
