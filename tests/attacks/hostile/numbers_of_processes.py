"""Looks for what an earlier worker could have left in the process table: numbers are the same for every worker."""
# expect: * = passed

import _thread
import threading

if os.getpid() > 2:
    ESCAPES.append(f"my number is {os.getpid()}")
threads = []
for _ in range(3):
    thread = threading.Thread(target=lambda: threads.append(_thread.get_native_id()))
    thread.start()
    thread.join()
if threads and max(threads) > 8:
    ESCAPES.append(f"threads are numbered {threads}")
must_fail("read /proc/self", lambda: os.readlink("/proc/self"))
must_fail("list /proc", lambda: os.listdir("/proc")[0])
must_be_refused("sysinfo", 99, 0)
