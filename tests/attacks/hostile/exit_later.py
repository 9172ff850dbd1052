"""Has something done at exit and from a thread: an answer of its own, and an end at the wrong time."""
# expect: * = passed | crashed | tampered

import atexit
import threading
import time

atexit.register(lambda: put(frame("reply", 1, {"value": 3})))


def later():
    time.sleep(0.05)
    os._exit(0)


def table(n):
    threading.Thread(target=later, daemon=True).start()
    return sum(range(n))
