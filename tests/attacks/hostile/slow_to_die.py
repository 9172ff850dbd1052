"""Has so much memory and so many threads that its end takes a while."""
# expect: table = memory | error | timeout | crashed
# expect: * = passed

import mmap
import threading
import time


def table(n):
    threading.stack_size(32768)
    hoard = mmap.mmap(-1, 256 << 20)
    for start in range(0, 256 << 20, 4096):
        hoard[start] = 1
    try:
        while True:
            threading.Thread(target=time.sleep, args=[100], daemon=True).start()
    except RuntimeError:
        os._exit(3)
