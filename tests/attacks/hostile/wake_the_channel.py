"""Has Python itself write to the channel, a byte for every signal of a timer."""
# expect: * = passed | tampered | crashed | error | failed

import signal

try:
    signal.set_wakeup_fd(channel(), warn_on_full_buffer=False)
    signal.signal(signal.SIGALRM, lambda *_: None)
    signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
except (OSError, ValueError):
    pass
