"""Wants the last word when its process ends, in all ways that Python has."""

import atexit
import threading
import time
import weakref


class Last:
    def __del__(self):
        time.sleep(60)


atexit.register(time.sleep, 60)
threading._register_atexit(time.sleep, 60)
LAST = Last()
weakref.finalize(LAST, time.sleep, 60)
