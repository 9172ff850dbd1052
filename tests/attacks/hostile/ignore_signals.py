"""Blocks and ignores every signal before it loops."""
# expect: table = timeout
# expect: * = passed

import signal


def table(n):
    for number_ in signal.valid_signals():
        try:
            signal.signal(number_, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    while True:
        pass
