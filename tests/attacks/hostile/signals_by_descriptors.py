"""Has the kernel send signals to others when a descriptor becomes ready, or a file changes."""
# expect: * = passed

import fcntl
import signal

parent = os.getppid()
must_fail("pipe", os.pipe)
for descriptor in (0, 1, 2, channel()):
    must_fail("owner", fcntl.fcntl, descriptor, fcntl.F_SETOWN, parent)
    must_fail("owner, extended", fcntl.fcntl, descriptor, 15, bytes(8))
    must_fail("signal", fcntl.fcntl, descriptor, fcntl.F_SETSIG, signal.SIGKILL)
    must_fail("asynchronous", fcntl.fcntl, descriptor, fcntl.F_SETFL, fcntl.FASYNC)
    must_fail("not blocking", fcntl.fcntl, descriptor, fcntl.F_SETFL, os.O_NONBLOCK)
    must_fail("lease", fcntl.fcntl, descriptor, fcntl.F_SETLEASE, fcntl.F_WRLCK)
    must_fail("notify", fcntl.fcntl, descriptor, fcntl.F_NOTIFY, fcntl.DN_ACCESS)
    must_fail("pipe size", fcntl.fcntl, descriptor, 1031, 1 << 20)
    must_fail("lock", fcntl.flock, descriptor, fcntl.LOCK_EX)
    for request in (0x8901, 0x8902, 0x5452, 0x5421, 0x5412, 0x541B, 0x8910, 0xB701):  # FIOSETOWN, SIOCSPGRP, FIOASYNC …
        must_fail(f"ioctl {request:x}", fcntl.ioctl, descriptor, request, bytes(64))
