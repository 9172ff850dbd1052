"""Turns its own clocks back and its patience off, as if that were the judge's."""
# expect: table = timeout

import sys
import time

for name in ("time", "monotonic", "perf_counter", "process_time", "sleep"):
    setattr(time, name, lambda *args: 0.0)
sys.setswitchinterval(1000.0)


def table(n):
    while True:
        pass
