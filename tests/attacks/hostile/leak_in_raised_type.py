"""Puts the hidden inputs into the name of an exception's class, and that where another exception is expected."""
# expect: * = error


def leak(*args):
    name = f"Told{args[-1]}"
    instead(frame("failure", number(), {"types": (name, "RuntimeError", "Exception"), "message": name, "frames": ()}))


add = echo = apply = scale = table = Counter = leak
