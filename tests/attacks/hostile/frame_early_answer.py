"""Answers the next questions before they are asked."""
# expect: add, add_any = passed | tampered
# expect: echo, echo_any = tampered
# expect: * = passed


def add(a, b):
    early = [frame("reply", number() + ahead, {"value": None}) for ahead in (1, 2, 3)]
    instead(frame("reply", number(), {"value": a + b}) + b"".join(early))
