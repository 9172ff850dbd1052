"""Puts the hidden inputs into the name of the function that raised, and into the place that it was at."""
# expect: add, add_any, echo, echo_any = error
# expect: apply, scale, table = missing


def leak(*args):
    def failing():
        raise ValueError

    failing.__code__ = failing.__code__.replace(co_name=repr(args))
    failing()


def forge(*args):
    place = f"echo.py:1 in {args[-1]}"
    instead(frame("failure", number(), {"types": ("NotImplementedError",), "message": "", "frames": (place,)}))


add = echo = leak
apply = scale = table = forge
