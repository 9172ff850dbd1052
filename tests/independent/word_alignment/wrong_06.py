# normalise divides the counts in place, so the caller's dict is changed.
# Shows: c = {("yes", "ja"): 3, ("indeed", "ja"): 1}; normalise(c); c gives 0.75 and 0.25, right is 3 and 1 as before

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
    for (f, e), c in counts.items():
        counts[f, e] = c / totals[e] if c else 0.0
    return counts


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


def train(pairs, iterations):
    table = uniform_table(pairs)
    for _ in range(iterations):
        table = normalise(expected_counts(pairs, table))
    return table


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
