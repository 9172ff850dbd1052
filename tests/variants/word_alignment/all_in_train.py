"""Training does everything itself, over distinct words with how often they stand in a sentence."""

from collections import Counter, defaultdict
from math import log

NULL = None


def bags(pairs):
    """Each pair as two bags of words, for order does not matter here."""
    return [(Counter([*source, NULL]), Counter(target)) for source, target in pairs]


def uniform_table(pairs):
    meets = defaultdict(set)
    for source, target in bags(pairs):
        for e in source:
            meets[e] |= target.keys()
    return defaultdict(float, {(f, e): 1 / len(words) for e, words in meets.items() for f in words})


def expected_counts(pairs, table):
    counts = Counter()
    for source, target in bags(pairs):
        for f, times in target.items():
            whole = sum(n * table[f, e] for e, n in source.items())
            counts.update({(f, e): times * n * table[f, e] / whole for e, n in source.items()})
    return counts


def normalise(counts):
    return {
        (f, e): n / sum(other for (_, word), other in counts.items() if word == e) for (f, e), n in counts.items()
    }


def log_likelihood(pairs, table):
    result = 0
    for source, target in bags(pairs):
        for f, times in target.items():
            result += times * log(sum(n * table[f, e] for e, n in source.items()) / source.total())
    return result


def train(pairs, iterations):
    t, sentences = uniform_table(pairs), bags(pairs)
    for _ in range(iterations):
        count, total = defaultdict(float), defaultdict(float)
        for source, target in sentences:
            for f, times in target.items():
                z = sum(n * t[f, e] for e, n in source.items())
                for e, n in source.items():
                    c = times * n * t[f, e] / z
                    count[f, e] += c
                    total[e] += c
        t = {(f, e): c / total[e] for (f, e), c in count.items()}
    return t


def align(source, target, table):
    def best(f):
        winner, share = None, table[f, NULL]
        for e in dict.fromkeys(source):
            if table[f, e] > share or (winner is None and table[f, e] == share):
                winner, share = e, table[f, e]
        return winner if winner is None else source.index(winner)

    return [best(f) for f in target]
