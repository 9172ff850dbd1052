"""Reports less than no memory, with numbers that no machine has."""
# expect: table = passed | failed | tampered
# expect: * = passed


def table(n):
    instead(frame("reply", number(), {"value": sum(range(n)), "peak_bytes": -(10**300)}))
