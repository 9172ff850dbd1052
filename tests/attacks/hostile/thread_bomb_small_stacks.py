"""Starts threads with stacks so small that memory alone would not stop thousands of them."""
# expect: * = passed

import threading
import time

threading.stack_size(32768)
started = 0
try:
    for _ in range(1000):
        threading.Thread(target=time.sleep, args=[60], daemon=True).start()
        started += 1
except (RuntimeError, MemoryError):
    pass
if started > 500 and LEVEL == "bubblewrap":  # where there is no user of its own, memory is the only limit
    ESCAPES.append(f"{started} threads")
