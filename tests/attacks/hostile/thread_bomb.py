"""Starts threads without end."""
# expect: * = passed

import threading
import time

started = 0
try:
    for _ in range(1000):
        threading.Thread(target=time.sleep, args=[60], daemon=True).start()
        started += 1
except (RuntimeError, MemoryError):
    pass
if started > 500:
    ESCAPES.append(f"{started} threads")
