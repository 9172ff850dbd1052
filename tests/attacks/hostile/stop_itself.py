"""Stops itself, so that it can neither answer nor die by itself."""
# expect: table = timeout
# expect: * = passed

import signal


def table(n):
    os.kill(os.getpid(), signal.SIGSTOP)
    return sum(range(n))
