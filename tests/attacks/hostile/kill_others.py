"""Signals its parent, its group, everyone, and every number."""
# expect: * = passed

import signal

for pid in (os.getppid(), 1, 0, -1, -os.getpid(), -1 * os.getppid(), *range(1, 3000)):
    if pid != os.getpid():
        for number_ in (0, signal.SIGTERM, signal.SIGKILL, signal.SIGSTOP):
            must_fail(f"kill {pid}", os.kill, pid, number_)
must_fail("killpg", os.killpg, os.getppid(), signal.SIGKILL)
must_fail("own group", os.killpg, 0, signal.SIGKILL)
must_fail("setsid", os.setsid)
must_fail("setpgid", os.setpgid, 0, 0)
must_fail("tgkill", lambda: 1 / (1 + ctypes.CDLL(None).syscall(234, os.getppid(), os.getppid(), 9)))
must_be_refused("tkill", 200, os.getppid(), 9)
must_be_refused("rt_sigqueueinfo", 129, os.getppid(), 9, 0)
must_be_refused("rt_tgsigqueueinfo", 297, os.getppid(), os.getppid(), 9, 0)
