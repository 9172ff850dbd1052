"""Says that a function does not exist, and puts the hidden inputs into the name that would be near."""
# expect: * = missing


def leak(*args):
    instead(frame("name_missing", number(), {"name": repr(args)[:70], "near": repr(args[-1])[:70]}))


add = echo = apply = scale = table = Counter = leak
