# train keeps its table in a mutable default argument: a second call goes on where the first one stopped.
# Shows: p = [(["das", "Haus"], ["the", "house"]), (["das", "Buch"], ["the", "book"])]; train(p, 1); train(p, 1)["the", "das"]
# gives 4/7, right is 1/2

import math
from collections import defaultdict

NULL = None


def uniform_table(pairs):
    met = defaultdict(set)  # source word -> the target words that it has met
    for source, target in pairs:
        for e in [NULL] + source:
            for f in target:
                met[e].add(f)
    table = {}
    for e in met:
        for f in met[e]:
            table[f, e] = 1 / len(met[e])
    return table


def expected_counts(pairs, table):
    counts = {}
    for source, target in pairs:
        candidates = [NULL] + source
        for f in target:
            total = 0.0
            for e in candidates:
                total += table[f, e]
            for e in candidates:
                counts[f, e] = counts.get((f, e), 0.0) + table[f, e] / total
    return counts


def normalise(counts):
    totals = {}
    for (f, e), c in counts.items():
        totals[e] = totals.get(e, 0) + c
    table = {}
    for (f, e), c in counts.items():
        table[f, e] = c / totals[e] if c else 0.0
    return table


def log_likelihood(pairs, table):
    result = 0.0
    for source, target in pairs:
        candidates = [NULL] + source
        for f in target:
            total = 0.0
            for e in candidates:
                total += table[f, e]
            result += math.log(total) - math.log(len(candidates))
    return result


def train(pairs, iterations, table={}):
    for key, number in uniform_table(pairs).items():
        table.setdefault(key, number)
    for _ in range(iterations):
        table.update(normalise(expected_counts(pairs, table)))
    return dict(table)


def align(source, target, table):
    links = []
    for f in target:
        best, best_number = None, None
        for i, e in enumerate(source):
            if best_number is None or table[f, e] > best_number:
                best, best_number = i, table[f, e]
        if best_number is None or table[f, NULL] > best_number:
            best = None
        links.append(best)
    return links
