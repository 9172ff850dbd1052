"""BLEU with plain loops and dictionaries."""

import math
from collections import Counter


def ngram_counts(tokens, n):
    counts = {}
    for i in range(0, len(tokens) - n + 1):
        gram = tuple(tokens[i : i + n])
        counts[gram] = counts.get(gram, 0) + 1
    return Counter(counts)


def clipped_matches(hypothesis, references, n):
    hyp = ngram_counts(hypothesis, n)
    refs = [ngram_counts(reference, n) for reference in references]
    matches = 0
    for gram, count in hyp.items():
        most = max(ref[gram] for ref in refs)
        matches += min(count, most)
    return matches, sum(hyp.values())


def closest_length(hypothesis_length, reference_lengths):
    best = reference_lengths[0]
    for length in reference_lengths[1:]:
        old, new = abs(best - hypothesis_length), abs(length - hypothesis_length)
        if new < old or (new == old and length < best):
            best = length
    return best


def brevity_penalty(hypothesis_length, reference_length):
    if hypothesis_length == 0:
        return 0.0
    if hypothesis_length > reference_length:
        return 1.0
    return math.exp(1 - reference_length / hypothesis_length)


def corpus_bleu(hypotheses, references, max_n=4):
    product = 1.0
    for n in range(1, max_n + 1):
        matches, total = 0, 0
        for hypothesis, refs in zip(hypotheses, references):
            m, t = clipped_matches(hypothesis, refs, n)
            matches += m
            total += t
        if total == 0:
            return 0.0
        product *= matches / total
    c, r = 0, 0
    for hypothesis, refs in zip(hypotheses, references):
        c += len(hypothesis)
        r += closest_length(len(hypothesis), [len(ref) for ref in refs])
    return brevity_penalty(c, r) * product ** (1 / max_n)
