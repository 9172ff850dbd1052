"""Interrupts whatever runs in its process, a thousand times a second."""
# expect: * = passed | error | failed | crashed | timeout | tampered

import signal


def ring(*_):
    raise SystemExit


try:
    signal.signal(signal.SIGVTALRM, ring)
    signal.setitimer(signal.ITIMER_VIRTUAL, 0.001, 0.001)
except (OSError, ValueError):
    pass
