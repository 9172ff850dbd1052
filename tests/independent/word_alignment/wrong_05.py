# expected_counts sums over the *different* sentence pairs: a pair that stands twice in the list counts once.
# Shows: expected_counts([(["ja"], ["yes"])] * 2, {("yes", "ja"): 0.75, ("yes", None): 0.25}) gives 0.75 and 0.25, right is
# 1.5 and 0.5

import numpy as np

NULL = None


def _keys(source, target):
    return [[(f, e) for e in source + [NULL]] for f in target]


def _matrix(source, target, table):
    numbers = [[table[key] for key in row] for row in _keys(source, target)]
    return np.array(numbers, dtype=float).reshape(len(target), len(source) + 1)


def uniform_table(pairs):
    keys = dict.fromkeys(key for source, target in pairs for row in _keys(source, target) for key in row)
    return normalise(dict.fromkeys(keys, 1))


def expected_counts(pairs, table):
    counts = {}
    unique = {(tuple(source), tuple(target)): (source, target) for source, target in pairs}
    for source, target in unique.values():
        matrix = _matrix(source, target, table)
        shares = matrix / matrix.sum(axis=1, keepdims=True)
        for row, numbers in zip(_keys(source, target), shares.tolist()):
            for key, number in zip(row, numbers):
                counts[key] = counts.get(key, 0.0) + number
    return counts


def normalise(counts):
    rows = {}
    for f, e in counts:
        rows.setdefault(e, []).append(f)
    table = dict.fromkeys(counts, 0.0)  # the order of the keys stays, too
    for e, targets in rows.items():
        total = sum(counts[f, e] for f in targets)
        for f in targets:
            if counts[f, e] > 0:
                table[f, e] = counts[f, e] / total
    return table


def log_likelihood(pairs, table):
    result = 0.0
    for source, target in pairs:
        sums = _matrix(source, target, table).sum(axis=1)
        result += float(np.log(sums).sum()) - len(target) * float(np.log(len(source) + 1))
    return result


def train(pairs, iterations):
    table = uniform_table(pairs)
    while iterations > 0:
        table = normalise(expected_counts(pairs, table))
        iterations -= 1
    return table


def align(source, target, table):
    best = _matrix(source, target, table).argmax(axis=1)  # the first of equals; NULL is the last column
    return [None if i == len(source) else i for i in best.tolist()]
