"""What is known of a sentence is an object; objects can be added, and the sum has the score."""

import math
from collections import Counter, defaultdict


class Stats:
    def __init__(self, max_n, length=0, reference_length=0):
        self.matches = [0] * max_n
        self.totals = [0] * max_n
        self.length = length
        self.reference_length = reference_length

    @classmethod
    def of(cls, hypothesis, references, max_n):
        stats = cls(max_n, len(hypothesis), closest_length(len(hypothesis), [len(r) for r in references]))
        for n in range(max_n):
            stats.matches[n], stats.totals[n] = clipped_matches(hypothesis, references, n + 1)
        return stats

    def __iadd__(self, other):
        self.matches = [a + b for a, b in zip(self.matches, other.matches)]
        self.totals = [a + b for a, b in zip(self.totals, other.totals)]
        self.length += other.length
        self.reference_length += other.reference_length
        return self

    def score(self):
        if min(self.matches) == 0:
            return 0.0
        mean_log = sum(math.log(m) - math.log(t) for m, t in zip(self.matches, self.totals)) / len(self.matches)
        return math.exp(mean_log) * brevity_penalty(self.length, self.reference_length)


def ngram_counts(tokens, n):
    counter = Counter()
    for i in range(max(len(tokens) - n + 1, 0)):
        counter[tuple(tokens[i : i + n])] += 1
    return counter


def clipped_matches(hypothesis, references, n):
    largest = defaultdict(int)
    for reference in references:
        for ngram, count in ngram_counts(reference, n).items():
            largest[ngram] = max(largest[ngram], count)
    counts = ngram_counts(hypothesis, n)
    return sum(min(count, largest[ngram]) for ngram, count in counts.items()), max(0, len(hypothesis) - n + 1)


def closest_length(hypothesis_length, reference_lengths):
    shortest_distance = min(abs(r - hypothesis_length) for r in reference_lengths)
    return min(r for r in reference_lengths if abs(r - hypothesis_length) == shortest_distance)


def brevity_penalty(hypothesis_length, reference_length):
    c, r = hypothesis_length, reference_length
    try:
        return 1.0 if c > r else math.exp(1 - r / c)
    except ZeroDivisionError:
        return 0.0


def corpus_bleu(hypotheses, references, max_n=4):
    total = Stats(max_n)
    for hypothesis, own in zip(hypotheses, references):
        total += Stats.of(hypothesis, own, max_n)
    return total.score()
