"""As one would do it with a pencil: cross out what has been matched, and look for the length outwards."""

from collections import Counter
from functools import reduce
from math import e


def pieces(tokens, n):
    return list(zip(*[tokens[k:] for k in range(n)]))


def ngram_counts(tokens, n):
    return Counter(pieces(tokens, n))


def clipped_matches(hypothesis, references, n):
    said, matched = pieces(hypothesis, n), 0
    for piece in set(said):
        paid = 0
        for reference in references:
            left = pieces(reference, n)
            found = 0
            for one in said:
                if one == piece and one in left:
                    left.remove(one)
                    found += 1
            paid = max(paid, found)
        matched += paid
    return matched, len(said)


def closest_length(hypothesis_length, reference_lengths):
    far = 0
    while True:
        if hypothesis_length - far in reference_lengths:
            return hypothesis_length - far
        if hypothesis_length + far in reference_lengths:
            return hypothesis_length + far
        far += 1


def brevity_penalty(hypothesis_length, reference_length):
    if not hypothesis_length:
        return 0.0
    missing = max(reference_length - hypothesis_length, 0)
    return e ** -(missing / hypothesis_length)


def corpus_bleu(hypotheses, references, max_n=4):
    def plus(one, other):
        return [a + b for a, b in zip(one, other)]

    rows = [
        [len(h), closest_length(len(h), [*map(len, rs)])]
        + [number for n in range(1, max_n + 1) for number in clipped_matches(h, rs, n)]
        for h, rs in zip(hypotheses, references)
    ]
    c, r, *counts = reduce(plus, rows, [0] * (2 + 2 * max_n))
    if 0 in counts:
        return 0.0
    score = brevity_penalty(c, r)
    for n in range(max_n):
        score *= (counts[2 * n] / counts[2 * n + 1]) ** (1 / max_n)
    return score
