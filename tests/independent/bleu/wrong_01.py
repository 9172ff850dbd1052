# ngram_counts keeps results in a dictionary by id(tokens): a list that was changed since, or a new one at the same address, gets old counts.
# Shows: words = ["a"]; ngram_counts(words, 1); words.append("b"); ngram_counts(words, 1)  gives {("a",): 1}, right: {("a",): 1, ("b",): 1}
"""BLEU with plain loops and plain dictionaries."""

import math


seen = {}  # counting the same reference again and again is slow


def ngram_counts(tokens, n):
    """A plain dict: tuple of n tokens -> how often."""
    if (id(tokens), n) in seen:
        return seen[id(tokens), n]
    counts = {}
    for start in range(len(tokens) - n + 1):
        gram = ()
        for k in range(n):
            gram = gram + (tokens[start + k],)
        if gram in counts:
            counts[gram] += 1
        else:
            counts[gram] = 1
    seen[id(tokens), n] = counts
    return counts


def clipped_matches(hypothesis, references, n):
    """(matches, total)"""
    said = ngram_counts(hypothesis, n)
    written = []
    for reference in references:
        written.append(ngram_counts(reference, n))
    matches = 0
    total = 0
    for gram in said:
        most = 0
        for counts in written:
            if gram in counts and counts[gram] > most:
                most = counts[gram]
        matches += min(said[gram], most)
        total += said[gram]
    return matches, total


def closest_length(hypothesis_length, reference_lengths):
    """The nearest, of two the shorter."""
    best = reference_lengths[0]
    for length in reference_lengths:
        distance = abs(length - hypothesis_length)
        best_distance = abs(best - hypothesis_length)
        if distance < best_distance:
            best = length
        elif distance == best_distance and length < best:
            best = length
    return best


def brevity_penalty(hypothesis_length, reference_length):
    """0, 1 or something between."""
    if hypothesis_length == 0:
        return 0
    if hypothesis_length > reference_length:
        return 1
    return math.exp(1 - reference_length / hypothesis_length)


def corpus_bleu(hypotheses, references, max_n=4):
    """First sum, then divide."""
    if len(hypotheses) == 0:
        return 0
    c = 0
    r = 0
    for i in range(len(hypotheses)):
        c += len(hypotheses[i])
        r += closest_length(len(hypotheses[i]), [len(reference) for reference in references[i]])

    sum_of_logs = 0.0
    for n in range(1, max_n + 1):
        matches = 0
        total = 0
        for i in range(len(hypotheses)):
            m, t = clipped_matches(hypotheses[i], references[i], n)
            matches += m
            total += t
        if total == 0 or matches == 0:
            return 0
        sum_of_logs += math.log(matches / total)
    return brevity_penalty(c, r) * math.exp(sum_of_logs / max_n)
