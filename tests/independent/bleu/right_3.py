"""BLEU with numpy: tokens become numbers, n-grams rows of a matrix, and the corpus a table of sums."""

from collections import Counter

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view


def _numbered(sentences):
    """Each different token gets a number; equal tokens get equal ones."""
    numbers = {}
    rows = [np.array([numbers.setdefault(token, len(numbers)) for token in s], dtype=np.int64) for s in sentences]
    return rows, list(numbers)


def _windows(row, n):
    """(c,) -> (c - n + 1, n), or no rows at all."""
    if len(row) < n:
        return np.empty((0, n), dtype=np.int64)
    return sliding_window_view(row, n)


def ngram_counts(tokens, n):
    """np.unique on rows, then back from numbers to tokens."""
    (row,), names = _numbered([tokens])
    grams, counts = np.unique(_windows(row, n), axis=0, return_counts=True)
    return Counter({tuple(names[k] for k in gram): int(count) for gram, count in zip(grams, counts)})


def clipped_matches(hypothesis, references, n):
    """Compare every different n-gram of the hypothesis with every n-gram of each reference."""
    (row, *others), _ = _numbered([hypothesis, *references])
    grams, counts = np.unique(_windows(row, n), axis=0, return_counts=True)
    limits = np.zeros(len(grams), dtype=np.int64)
    for other in others:
        same = (grams[:, None, :] == _windows(other, n)[None, :, :]).all(axis=2)
        limits = np.maximum(limits, same.sum(axis=1))
    return int(np.minimum(counts, limits).sum()), int(counts.sum())


def closest_length(hypothesis_length, reference_lengths):
    """Sort by distance, then by length."""
    lengths = np.array(reference_lengths)
    order = np.lexsort((lengths, np.abs(lengths - hypothesis_length)))  # the last key is the first to sort by
    return int(lengths[order[0]])


def brevity_penalty(hypothesis_length, reference_length):
    """The two lines of the handout."""
    if hypothesis_length > reference_length:
        return 1.0
    if hypothesis_length == 0:
        return 0.0
    return float(np.exp(1 - reference_length / hypothesis_length))


def corpus_bleu(hypotheses, references, max_n=4):
    """A table (sentences, max_n, 2) of matches and totals; all the rest is sums along its first axis."""
    table = np.zeros((len(hypotheses), max_n, 2), dtype=np.int64)
    lengths = np.zeros((len(hypotheses), 2), dtype=np.int64)
    for i, (hypothesis, own) in enumerate(zip(hypotheses, references)):
        table[i] = [clipped_matches(hypothesis, own, n) for n in range(1, max_n + 1)]
        lengths[i] = len(hypothesis), closest_length(len(hypothesis), [len(reference) for reference in own])
    matches, totals = table.sum(axis=0).T
    if (matches == 0).any():  # also where there is nothing to match
        return 0.0
    c, r = lengths.sum(axis=0)
    return brevity_penalty(int(c), int(r)) * float(np.exp(np.log(matches / totals).mean()))
