"""Sends a dict whose keys all have the same hash, so that the judge works and works."""
# expect: echo, echo_any = failed | tampered
# expect: * = passed

import msgspec

MASK, MODULUS = (1 << 64) - 1, (1 << 61) - 1
FIRST, SECOND, FIFTH = 11400714785074694791, 14029467366897019727, 2870177450012600261


def colliding(count):
    """Pairs with the hash of (1, 2): Python's hash of tuples, solved for the second item."""

    def rotated(value, by):
        return (value << by | value >> (64 - by)) & MASK

    def after(start, item):
        return rotated((start + item * SECOND) & MASK, 31) * FIRST & MASK

    goal = after(after(FIFTH, 1), 2) * pow(FIRST, -1, 1 << 64) & MASK
    found, item = [], 0
    while len(found) < count:
        item += 1
        other = (rotated(goal, 33) - after(FIFTH, item)) * pow(SECOND, -1, 1 << 64) & MASK
        other -= (other >> 63) << 64
        if -MODULUS < other < MODULUS and other != -1:
            found.append((item, other))
    return found


PAIRS = colliding(14_000)


def echo(x):
    pairs = [part for pair in PAIRS for part in ([1, *pair], 0)]
    instead(raw_frame(msgspec.msgpack.encode([1, "reply", number(), [2, "value", [2, *pairs]]])))
