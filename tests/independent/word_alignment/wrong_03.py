# expected_counts shares among the *different* source words: a source word that stands twice competes only once.
# Shows: expected_counts([(["ja", "ja"], ["yes"])], {("yes", "ja"): 0.5, ("yes", None): 0.5}) gives 0.5 for ("yes", "ja"),
# right is 2/3 (and 1/3 for NULL)

from collections import Counter
from functools import reduce
from itertools import product
from math import fsum, log

NULL = None


def _cells(pairs):
    """Every place of a target sentence, with all that compete for it."""
    for source, target in pairs:
        competitors = (*source, NULL)
        for f in target:
            yield f, competitors


def uniform_table(pairs):
    cells = {(f, e) for source, target in pairs for f, e in product(target, {*source, NULL})}
    met = Counter(e for _, e in cells)
    return {(f, e): 1 / met[e] for f, e in cells}


def expected_counts(pairs, table):
    counts = Counter()
    for f, competitors in _cells(pairs):
        total = fsum(table.get((f, e), 0.0) for e in set(competitors))
        for e in set(competitors):
            counts[f, e] += table.get((f, e), 0.0) / total
    return counts


def normalise(counts):
    totals = Counter()
    for (_, e), number in counts.items():
        totals[e] += number
    return {key: number / totals[key[1]] for key, number in counts.items() if number > 0}


def log_likelihood(pairs, table):
    return fsum(
        log(fsum(table.get((f, e), 0.0) for e in competitors)) - log(len(competitors)) for f, competitors in _cells(pairs)
    )


def train(pairs, iterations):
    return reduce(lambda table, _: normalise(expected_counts(pairs, table)), range(iterations), uniform_table(pairs))


def align(source, target, table):
    places = [*range(len(source)), NULL]  # max takes the first of equals

    def number(f, i):
        return table[f, NULL if i is NULL else source[i]]

    return [max(places, key=lambda i: number(f, i)) for f in target]
