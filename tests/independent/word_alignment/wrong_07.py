# normalise adds 1e-9 to each sum against a division by zero, so rows of small counts do not sum to 1.
# Shows: normalise({("yes", "ja"): 1e-9, ("indeed", "ja"): 1e-9}) gives 1/3 each, right is 1/2 each

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
        table[f, e] = c / (totals[e] + 1e-9)
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
