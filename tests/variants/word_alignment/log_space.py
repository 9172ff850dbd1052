"""Everything is a logarithm inside: shares are differences, sums are log-sum-exp."""

from functools import reduce
from math import exp, inf, log, log1p


def log_add(a, b):
    high, low = (a, b) if a > b else (b, a)
    return high if low == -inf else high + log1p(exp(low - high))


def log_sum(terms):
    return reduce(log_add, terms, -inf)


def to_logs(table):
    return {key: log(value) if value > 0 else -inf for key, value in table.items()}


def from_logs(table):
    return {key: exp(value) for key, value in table.items()}


def row_sums(logs):
    sums = {}
    for (_, e), value in logs.items():
        sums[e] = log_add(sums.get(e, -inf), value)
    return sums


def divided(logs):
    sums = row_sums(logs)
    return {(f, e): value - sums[e] for (f, e), value in logs.items()}


def counted(pairs, logs):
    counts = {}
    for source, target in pairs:
        for f in target:
            scores = [(e, logs[f, e]) for e in (None, *source)]
            whole = log_sum(score for _, score in scores)
            for e, score in scores:
                counts[f, e] = log_add(counts.get((f, e), -inf), score - whole)
    return counts


def uniform_logs(pairs):
    return divided({(f, e): 0.0 for source, target in pairs for e in (None, *source) for f in target})


def uniform_table(pairs):
    return from_logs(uniform_logs(pairs))


def expected_counts(pairs, table):
    return from_logs(counted(pairs, to_logs(table)))


def normalise(counts):
    return from_logs(divided(to_logs(counts)))


def log_likelihood(pairs, table):
    logs = to_logs(table)
    return sum(
        (log_sum(logs[f, e] for e in (None, *source)) - log(len(source) + 1) for source, target in pairs for f in target),
        0.0,
    )


def train(pairs, iterations):
    logs = uniform_logs(pairs)
    for _ in range(iterations):
        logs = divided(counted(pairs, logs))
    return from_logs(logs)


def align(source, target, table):
    def rank(f, i):  # of equal numbers the smaller place, and NULL behind all
        word, place = (None, len(source)) if i is None else (source[i], i)
        return -table[f, word], place

    return [min([None, *range(len(source))], key=lambda i: rank(f, i)) for f in target]
