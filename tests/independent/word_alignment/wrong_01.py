# uniform_table enters NULL inside of the loop over the source words, so an empty source sentence gives NULL nothing.
# Shows: uniform_table([([], ["oh"])]) gives {}, right is {("oh", None): 1.0}

import math
from itertools import islice

NULL = None


class Dictionary:
    """source word (or NULL) -> {target word: number}"""

    def __init__(self):
        self.rows = {}

    @classmethod
    def of(cls, flat):
        new = cls()
        for (f, e), number in flat.items():
            new.rows.setdefault(e, {})[f] = number
        return new

    def flat(self):
        return {(f, e): number for e, row in self.rows.items() for f, number in row.items()}

    def add(self, f, e, number):
        row = self.rows.setdefault(e, {})
        row[f] = row.get(f, 0) + number

    def meet(self, f, e):
        self.rows.setdefault(e, {})[f] = 1

    def divided(self):
        new = Dictionary()
        for e, row in self.rows.items():
            total = sum(row.values())
            new.rows[e] = {f: number / total if total else 0.0 for f, number in row.items()}
        return new


def uniform_table(pairs):
    met = Dictionary()
    for source, target in pairs:
        for f in target:
            for e in source:
                met.meet(f, NULL)
                met.meet(f, e)
    return met.divided().flat()


def expected_counts(pairs, table):
    counts = Dictionary()
    for source, target in pairs:
        for f in target:
            numbers = [(e, table[f, e]) for e in source] + [(NULL, table[f, NULL])]
            total = sum(number for _, number in numbers)
            for e, number in numbers:
                counts.add(f, e, number / total)
    return counts.flat()


def normalise(counts):
    return Dictionary.of(counts).divided().flat()


def log_likelihood(pairs, table):
    def place(f, source):
        return math.log(table[f, NULL] + sum(table[f, e] for e in source))

    def sentence(source, target):
        return sum((place(f, source) for f in target), 0.0) - len(target) * math.log(1 + len(source))

    return sum((sentence(source, target) for source, target in pairs), 0.0)


def _rounds(pairs):
    table = uniform_table(pairs)
    while True:
        yield table
        table = normalise(expected_counts(pairs, table))


def train(pairs, iterations):
    return next(islice(_rounds(pairs), iterations, None))


def align(source, target, table):
    def partner(f):
        candidates = [(-table[f, e], i) for i, e in enumerate(source)]
        candidates.append((-table[f, NULL], len(source)))
        _, position = min(candidates)
        return position if position < len(source) else None

    return list(map(partner, target))
