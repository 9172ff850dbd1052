"""The first word belongs to the first, the second to the second, whatever they are; nothing is ever learnt."""

import math


def uniform_table(pairs):
    return {(f, e): 1.0 for source, target in pairs for f, e in zip(target, [*source, None], strict=False)}


def expected_counts(pairs, table):
    return {(f, e): 1.0 for source, target in pairs for f, e in zip(target, [*source, None], strict=False)}


def normalise(counts):
    return dict.fromkeys(counts, 1.0)


def log_likelihood(pairs, table):
    return sum(-len(target) * math.log(len(source) + 2) for source, target in pairs)


def train(pairs, iterations):
    return uniform_table(pairs)


def align(source, target, table):
    return [j if j < len(source) else None for j in range(len(target))]
