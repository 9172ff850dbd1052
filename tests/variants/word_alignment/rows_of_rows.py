"""A dict of rows inside, one row for each source word, in a class that learns; pairs of words only at the border."""

from collections import Counter
from math import fsum, log


class Rows(dict):
    """source word -> (target word -> number)"""

    def __missing__(self, word):
        return self.setdefault(word, Counter())

    @classmethod
    def of(cls, table):
        rows = cls()
        for (f, e), number in table.items():
            rows[e][f] = number
        return rows

    def flat(self):
        return {(f, e): number for e, row in self.items() for f, number in row.items()}

    def shares(self):
        return Rows({e: {f: n / fsum(row.values()) for f, n in row.items()} for e, row in self.items()})

    def column(self, source, f):
        """What NULL and each source word have for f, NULL first."""
        return [self[None][f], *(self[e][f] for e in source)]


class Learner:
    def __init__(self, pairs):
        self.pairs = pairs
        met = Rows()
        for source, target in pairs:
            for e in {None, *source}:
                met[e].update(dict.fromkeys(set(target) - set(met[e]), 1))
        self.rows = met.shares()

    def counts(self, rows):
        counts = Rows()
        for source, target in self.pairs:
            for f in target:
                column = rows.column(source, f)
                for e, weight in zip([None, *source], column, strict=True):
                    counts[e][f] += weight / fsum(column)
        return counts

    def learn(self):
        self.rows = self.counts(self.rows).shares()


def uniform_table(pairs):
    return Learner(pairs).rows.flat()


def expected_counts(pairs, table):
    return Learner(pairs).counts(Rows.of(table)).flat()


def normalise(counts):
    return Rows.of(counts).shares().flat()


def log_likelihood(pairs, table):
    rows = Rows.of(table)
    return fsum(log(fsum(rows.column(source, f)) / (1 + len(source))) for source, target in pairs for f in target)


def train(pairs, iterations):
    learner = Learner(pairs)
    for _ in range(iterations):
        learner.learn()
    return learner.rows.flat()


def align(source, target, table):
    rows = Rows.of(table)
    links = []
    for f in target:
        null, *column = rows.column(source, f)
        best = max(column, default=-1.0)
        links.append(column.index(best) if best >= null else None)
    return links
