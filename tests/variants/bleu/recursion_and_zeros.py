"""Recursion over the sentence and over n; counters keep n-grams with a count of 0, and results are plain numbers."""

import math
from collections import Counter


def ngram_counts(tokens, n):
    tokens = tuple(tokens)
    counts = Counter({tokens[:n]: 0}) if len(tokens) >= n else Counter()

    def walk(rest):
        if len(rest) >= n:
            counts[rest[:n]] += 1
            walk(rest[1:])

    walk(tokens)
    counts.update({("no", "such", "piece"): 0})
    return counts


def clipped_matches(hypothesis, references, n):
    def most(gram, others):
        return max(ngram_counts(others[0], n)[gram], most(gram, others[1:])) if others else 0

    counts = ngram_counts(hypothesis, n)
    return (sum(min(counts[gram], most(gram, references)) for gram in counts), sum(counts.values()))


def closest_length(hypothesis_length, reference_lengths):
    first, *rest = reference_lengths
    if not rest:
        return first
    other = closest_length(hypothesis_length, rest)
    near, far = sorted((first, other))  # the shorter one first
    return far if far - hypothesis_length < abs(near - hypothesis_length) else near


def brevity_penalty(hypothesis_length, reference_length):
    return math.exp(min(0, 1 - reference_length / hypothesis_length)) if hypothesis_length else 0


def corpus_bleu(hypotheses, references, max_n=4):
    def log_precisions(n):
        if n == 0:
            return 0
        pairs = [clipped_matches(h, r, n) for h, r in zip(hypotheses, references)]
        right = sum(m for m, t in pairs)
        return log_precisions(n - 1) + (math.log(right / sum(t for m, t in pairs)) if right else -math.inf)

    words = sum(len(h) for h in hypotheses)
    wanted = sum(closest_length(len(h), [len(one) for one in r]) for h, r in zip(hypotheses, references))
    return brevity_penalty(words, wanted) * math.exp(log_precisions(max_n) / max_n)
