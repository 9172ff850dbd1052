"""IBM model 1, with the source sentence written as NULL first and then its words."""

from collections import defaultdict
from math import log

NULL = None


def links(pairs):
    """For every target word of the corpus: the word itself, and all source words that may have made it."""
    for source, target in pairs:
        for f in target:
            yield f, [NULL] + source


def uniform_table(pairs):
    seen = defaultdict(set)
    for f, makers in links(pairs):
        for e in makers:
            seen[e].add(f)
    return {(f, e): 1 / len(words) for e, words in seen.items() for f in words}


def expected_counts(pairs, table):
    counts = defaultdict(float)
    for f, makers in links(pairs):
        mass = sum(table[(f, e)] for e in makers)
        for e in makers:
            counts[(f, e)] += table[(f, e)] / mass
    return counts


def normalise(counts):
    sums = defaultdict(float)
    for f, e in counts:
        sums[e] += counts[(f, e)]
    return {(f, e): counts[(f, e)] / sums[e] for f, e in counts}


def log_likelihood(pairs, table):
    return float(sum(log(sum(table[(f, e)] for e in makers)) - log(len(makers)) for f, makers in links(pairs)))


def train(pairs, iterations):
    t = uniform_table(pairs)
    for _ in range(iterations):
        t = normalise(expected_counts(pairs, t))
    return t


def align(source, target, table):
    result = []
    for f in target:
        best, where = table[(f, NULL)], None
        for i, e in enumerate(source):
            p = table[(f, e)]
            if p > best or (p == best and where is None):
                best, where = p, i
        result.append(where)
    return result
