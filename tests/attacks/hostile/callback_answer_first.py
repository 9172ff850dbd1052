"""Asks and answers at once, before the judge has replied."""
# expect: apply = failed | tampered
# expect: * = passed | tampered | crashed


def apply(function, x):
    put(frame("question", number(), {"function": 0, "args": (x,)}))
    put(frame("reply", number(), {"value": x}))
    return x
