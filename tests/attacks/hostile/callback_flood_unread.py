"""Asks without reading any answer, so that both sides wait to write."""
# expect: apply = tampered | timeout
# expect: * = passed


def apply(function, x):
    question = frame("question", number(), {"function": 0, "args": (x,)})
    while True:
        put(question)
