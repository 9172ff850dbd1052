"""Raises its limits, and those of others."""
# expect: * = passed

import resource

for limit in range(16):
    for value in ((-1, -1), (1 << 40, 1 << 40), (0, -1)):
        must_fail(f"limit {limit} to {value}", resource.setrlimit, limit, value)
        must_fail(f"limit {limit} of parent", resource.prlimit, os.getppid(), limit, value)
must_fail("nice", os.nice, -5)
must_fail("scheduler", lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)))
must_fail("affinity", os.sched_setaffinity, 0, {0})
