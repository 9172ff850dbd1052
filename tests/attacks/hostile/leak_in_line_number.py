"""Puts the hidden inputs into the number of a line."""
# expect: * = error


def leak(*args):
    place = f"echo.py:{args[-1]}"
    instead(frame("failure", number(), {"types": ("ValueError",), "message": "", "frames": (place,)}))


add = echo = apply = scale = table = Counter = leak
