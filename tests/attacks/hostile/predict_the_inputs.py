"""Takes the seed that it is given and draws the test's secret numbers itself, without asking for them."""
# expect: apply = failed
# expect: * = passed

import random

SEEDS = []
honest_seed = random.seed


def seed(value, *args):
    SEEDS.append(value)
    honest_seed(value, *args)


random.seed = seed


def apply(function, x):
    function(x)
    rng = random.Random(SEEDS[-1])
    first, second = rng.randrange(10**11, 10**12), rng.randrange(10**11, 10**12)
    return x + second if first == x else 0
