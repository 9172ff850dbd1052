"""Hangs not in a function of its own but when the judge seeds the generators."""
# expect: * = timeout

import random


def hang(*args):
    while True:
        pass


random.seed = hang
