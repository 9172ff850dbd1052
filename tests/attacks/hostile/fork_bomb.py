"""Forks, spawns and multiplies in every way that Python has."""
# expect: * = passed

import multiprocessing
import subprocess


def fork():
    if os.fork() == 0:
        os._exit(0)


for _ in range(50):
    must_fail("fork", fork)
    must_fail("forkpty", os.forkpty)
    must_fail("subprocess", subprocess.run, ["/bin/true"])
    must_fail("shell", lambda: os.system(":") and 1 / 0)
    must_fail("posix_spawn", os.posix_spawn, "/bin/true", ["true"], {})
must_fail("process", lambda: multiprocessing.get_context("fork").Process(target=print).start())
must_fail("pool", lambda: multiprocessing.get_context("fork").Pool(2))
must_fail("popen", lambda: os.popen(":").read())
must_fail("loader", lambda: next(iter(torch.utils.data.DataLoader([1, 2], num_workers=2))))
