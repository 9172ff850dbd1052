# corpus_bleu always takes the fourth root, whatever max_n is.
# Shows: corpus_bleu([["a", "b"]], [[["a", "c"]]], max_n=1)  gives 0.8409, right: 0.5
"""BLEU in a functional style: counters with & and |, exact fractions, no statement that changes anything."""

from collections import Counter
from fractions import Fraction
from functools import reduce
from math import exp, prod
from operator import or_


def ngram_counts(tokens, n):
    """Neighbours by zipping n shifted copies."""
    return Counter(zip(*(tokens[shift:] for shift in range(n))))


def clipped_matches(hypothesis, references, n):
    """Union of counters is the maximum, intersection the minimum."""
    counts = ngram_counts(hypothesis, n)
    limits = reduce(or_, (ngram_counts(reference, n) for reference in references), Counter())
    return (counts & limits).total(), counts.total()


def closest_length(hypothesis_length, reference_lengths):
    """Sorted first: min takes the first of equally near ones, and that is the shorter."""
    return min(sorted(reference_lengths), key=lambda length: abs(length - hypothesis_length))


def brevity_penalty(hypothesis_length, reference_length):
    """min(1, exp(1 - r / c)), 0 for silence."""
    return exp(min(0.0, 1.0 - reference_length / hypothesis_length)) if hypothesis_length else 0.0


def precision(hypotheses, references, n):
    """The n-th precision of the corpus as a fraction; 0 if there is nothing to divide by."""
    pairs = [clipped_matches(hypothesis, own, n) for hypothesis, own in zip(hypotheses, references, strict=True)]
    total = sum(count for _, count in pairs)
    return Fraction(sum(matches for matches, _ in pairs), total) if total else Fraction(0)


def corpus_bleu(hypotheses, references, max_n=4):
    """Penalty times the root of an exact product."""
    product = prod(precision(hypotheses, references, n) for n in range(1, max_n + 1))
    said = sum(map(len, hypotheses))
    expected = sum(closest_length(len(h), [len(r) for r in own]) for h, own in zip(hypotheses, references, strict=True))
    return brevity_penalty(said, expected) * float(product) ** 0.25
