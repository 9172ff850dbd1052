"""Stops itself, so that it can neither answer nor die by itself; the first process of a table does not obey."""
# expect: table = timeout | passed
# expect: * = passed

import signal


def table(n):
    os.kill(os.getpid(), signal.SIGSTOP)
    return sum(range(n))
