# clipped_matches takes the one reference with the most matches in all, not the best reference for each n-gram.
# Shows: clipped_matches(["a", "b"], [["a"], ["b"]], 1)  gives (1, 2), right: (2, 2)
"""BLEU with plain loops and plain dictionaries."""

import math


def ngram_counts(tokens, n):
    """A plain dict: tuple of n tokens -> how often."""
    counts = {}
    for start in range(len(tokens) - n + 1):
        gram = ()
        for k in range(n):
            gram = gram + (tokens[start + k],)
        if gram in counts:
            counts[gram] += 1
        else:
            counts[gram] = 1
    return counts


def clipped_matches(hypothesis, references, n):
    """(matches, total)"""
    said = ngram_counts(hypothesis, n)
    written = []
    for reference in references:
        written.append(ngram_counts(reference, n))
    matches = 0
    total = 0
    for counts in written:
        found = 0
        for gram in said:
            found += min(said[gram], counts.get(gram, 0))
        matches = max(matches, found)
    for gram in said:
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
