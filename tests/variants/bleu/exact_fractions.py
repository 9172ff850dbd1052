"""Exact fractions until the root; sets and maps; nothing is computed with logarithms."""

from collections import Counter
from fractions import Fraction
from functools import reduce
from itertools import islice, tee
from math import exp, prod
from operator import or_


def _windows(tokens, n):
    return zip(*(islice(copy, start, None) for start, copy in enumerate(tee(tokens, n))))


def ngram_counts(tokens, n):
    counts = Counter()
    counts.update(_windows(tokens, n))
    return counts


def clipped_matches(hypothesis, references, n):
    said = ngram_counts(hypothesis, n)
    written = reduce(or_, (ngram_counts(reference, n) for reference in references), Counter())
    wrong = said - written
    return sum(said.values()) - sum(wrong.values()), sum(said.values())


def closest_length(hypothesis_length, reference_lengths):
    return sorted(sorted(reference_lengths), key=lambda r: abs(r - hypothesis_length))[0]


def brevity_penalty(hypothesis_length, reference_length):
    if hypothesis_length == 0:
        return 0.0
    if hypothesis_length >= reference_length:
        return 1.0
    return exp(float(1 - Fraction(reference_length, hypothesis_length)))


def corpus_bleu(hypotheses, references, max_n=4):
    def precision(n):
        sums = [sum(column) for column in zip(*map(clipped_matches, hypotheses, references, [n] * len(hypotheses)))]
        return Fraction(*sums) if sums and sums[1] else Fraction(0)

    spoken = sum(map(len, hypotheses))
    expected = sum(closest_length(len(h), list(map(len, rs))) for h, rs in zip(hypotheses, references))
    return brevity_penalty(spoken, expected) * float(prod(map(precision, range(1, max_n + 1)))) ** (1 / max_n)
