"""Tables of every source word with every target word: what never met is there too, with 0."""

from collections import defaultdict
from itertools import product
from math import log

NULL = None


def vocabularies(pairs):
    sources, targets = {NULL: True}, {}
    for source, target in pairs:
        sources.update(dict.fromkeys(source, True))
        targets.update(dict.fromkeys(target, True))
    return list(sources), list(targets)


def empty(pairs):
    sources, targets = vocabularies(pairs)
    return {(f, e): 0.0 for e, f in product(sources, targets)}


def uniform_table(pairs):
    table = empty(pairs)
    for source, target in pairs:
        for e, f in product((*source, NULL), target):
            table[f, e] = 1.0
    return normalise(table)


def expected_counts(pairs, table):
    counts = empty(pairs)
    for source, target in pairs:
        words = (*source, NULL)
        for f in target:
            weights = [table.get((f, e), 0.0) for e in words]
            for e, weight in zip(words, weights, strict=True):
                counts[f, e] += weight / sum(weights)
    return counts


def normalise(counts):
    rows = defaultdict(list)
    for (f, e), n in counts.items():
        rows[e].append((f, n))
    table = {}
    for e, row in rows.items():
        whole = sum(n for _, n in row)
        for f, n in row:
            table[f, e] = n / whole if whole else 0.0
    return table


def log_likelihood(pairs, table):
    logs = [0.0]
    for source, target in pairs:
        logs += [log(sum(table.get((f, e), 0.0) for e in (*source, NULL))) for f in target]
        logs.append(-len(target) * log(len(source) + 1))
    return sum(logs)


def train(pairs, iterations):
    if iterations == 0:
        return uniform_table(pairs)
    return normalise(expected_counts(pairs, train(pairs, iterations - 1)))


def align(source, target, table):
    links = []
    for f in target:
        best = max((table.get((f, e), 0.0) for e in (*source, NULL)), default=0.0)
        for i, e in enumerate(source):
            if table.get((f, e), 0.0) == best:
                links.append(i)
                break
        else:
            links.append(None)
    return links
