"""Writes frames from a thread without end."""
# expect: * = tampered | passed | failed

import threading


def flood():
    while True:
        try:
            os.write(CHANNEL, FRAME)
        except OSError:
            return


CHANNEL = channel()
FRAME = frame("reply", 3, {"value": 3})


def add(a, b):
    threading.Thread(target=flood, daemon=True).start()
    return a + b

