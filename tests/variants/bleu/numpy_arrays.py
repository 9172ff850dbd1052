"""Counts as arrays: a row for each sentence, a column for each n; logarithms of 0 are minus infinity."""

from collections import Counter

import numpy as np


def ngram_counts(tokens, n):
    return Counter(tuple(tokens[i - n : i]) for i in range(n, len(tokens) + 1))


def clipped_matches(hypothesis, references, n):
    counts = ngram_counts(hypothesis, n)
    if not counts:
        return 0, 0
    said = np.array(list(counts.values()))
    table = [ngram_counts(reference, n) for reference in references]
    most = np.array([[row[gram] for gram in counts] for row in table]).max(axis=0)
    return np.minimum(said, most).sum(), said.sum()


def closest_length(hypothesis_length, reference_lengths):
    lengths = np.sort(np.asarray(reference_lengths))
    return lengths[np.abs(lengths - hypothesis_length).argmin()]


def brevity_penalty(hypothesis_length, reference_length):
    with np.errstate(all="ignore"):
        ratio = np.float64(reference_length) / np.float64(hypothesis_length)
        return np.where(hypothesis_length == 0, 0.0, np.exp(np.minimum(0.0, 1.0 - ratio))).item()


def corpus_bleu(hypotheses, references, max_n=4):
    if len(hypotheses) == 0:
        return 0.0
    counts = np.array(
        [
            [clipped_matches(hypothesis, own, n) for n in range(1, max_n + 1)]
            for hypothesis, own in zip(hypotheses, references)
        ]
    )  # (N, max_n, 2)
    matches, totals = counts.sum(axis=0).T
    lengths = [len(hypothesis) for hypothesis in hypotheses]
    closest = [closest_length(len(h), [len(one) for one in own]) for h, own in zip(hypotheses, references)]
    with np.errstate(divide="ignore"):
        logs = np.log(matches) - np.log(np.maximum(totals, 1))
    return float(brevity_penalty(sum(lengths), sum(closest)) * np.exp(logs.mean()))
