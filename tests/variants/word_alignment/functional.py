"""No assignment where an expression will do: sorted groups, comprehensions, and a fold over the rounds."""

import math
from functools import reduce
from itertools import chain, groupby, product, repeat

NULL = None


def with_null(source):
    return (*source, NULL)


def by_source(item):
    (_, e), _ = item
    return e is not NULL, e or ""


def by_pair(item):
    (f, e), _ = item
    return e is not NULL, e or "", f


def pair_of(item):
    return item[0]


def merged(items):
    """(pair, number) items in any order, the numbers of equal pairs added."""
    groups = groupby(sorted(items, key=by_pair), key=pair_of)
    return {pair: sum(n for _, n in group) for pair, group in groups}


def uniform_table(pairs):
    met = frozenset(chain.from_iterable(product(target, with_null(source)) for source, target in pairs))
    return normalise(dict(zip(met, repeat(1))))


def links(pairs, table):
    return (
        ((f, e), table[f, e] / sum(table[f, other] for other in with_null(source)))
        for source, target in pairs
        for f, e in product(target, with_null(source))
    )


def expected_counts(pairs, table):
    return merged(links(pairs, table))


def normalise(counts):
    rows = (list(row) for _, row in groupby(sorted(counts.items(), key=by_source), key=by_source))
    return {key: n / sum(n for _, n in row) for row in rows for key, n in row}


def log_likelihood(pairs, table):
    means = (
        math.fsum(map(table.__getitem__, zip(repeat(f), with_null(source)))) / (len(source) + 1)
        for source, target in pairs
        for f in target
    )
    return float(sum(map(math.log, means)))


def train(pairs, iterations):
    return reduce(lambda table, _: normalise(expected_counts(pairs, table)), range(iterations), uniform_table(pairs))


def align(source, target, table):
    def link(f):
        ranked = sorted(range(len(source)), key=lambda i: table[f, source[i]], reverse=True)  # sorting is stable
        return ranked[0] if ranked and table[f, source[ranked[0]]] >= table[f, NULL] else None

    return [*map(link, target)]
