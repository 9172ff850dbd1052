"""Leaves threads behind that keep the interpreter busy; the answers are right, if slow."""
# expect: * = passed | timeout

import threading


def spin():
    while True:
        pass


for _ in range(3):
    threading.Thread(target=spin, daemon=True).start()
