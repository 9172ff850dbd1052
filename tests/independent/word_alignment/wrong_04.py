# expected_counts sets the sums to 0 once per sentence, before the loop over the target words (the well-known pseudo-code).
# Shows: expected_counts([(["ja"], ["yes", "yes"])], {("yes", "ja"): 0.75, ("yes", None): 0.25}) gives 0.75 and 0.25,
# right is 1.5 and 0.5

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
        totals = dict.fromkeys(target, 0.0)
        for f in target:
            for e in candidates:
                totals[f] += table[f, e]
        for f in target:
            for e in candidates:
                counts[f, e] = counts.get((f, e), 0.0) + table[f, e] / totals[f]
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
