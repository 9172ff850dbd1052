"""Puts the hidden inputs into the status with which the process ends."""
# expect: * = crashed


def leak(*args):
    os._exit(77)


add = echo = apply = scale = table = Counter = leak
