"""Loops and dictionaries, one step after the other; the score is a product and a root."""

import math


def ngram_counts(tokens, n):
    counts = {}
    i = 0
    while i + n <= len(tokens):
        gram = ()
        for j in range(n):
            gram = gram + (tokens[i + j],)
        if gram in counts:
            counts[gram] += 1
        else:
            counts[gram] = 1
        i += 1
    return counts


def clipped_matches(hypothesis, references, n):
    hyp_counts = ngram_counts(hypothesis, n)
    matches = 0
    total = 0
    for gram in hyp_counts:
        best = 0
        for reference in references:
            ref_counts = ngram_counts(reference, n)
            if gram in ref_counts and ref_counts[gram] > best:
                best = ref_counts[gram]
        matches += best if best < hyp_counts[gram] else hyp_counts[gram]
        total += hyp_counts[gram]
    return matches, total


def closest_length(hypothesis_length, reference_lengths):
    best = None
    for length in reference_lengths:
        if best is None:
            best = length
        elif abs(length - hypothesis_length) < abs(best - hypothesis_length):
            best = length
        elif abs(length - hypothesis_length) == abs(best - hypothesis_length) and length < best:
            best = length
    return best


def brevity_penalty(hypothesis_length, reference_length):
    if hypothesis_length == 0:
        return 0
    if hypothesis_length > reference_length:
        return 1
    return math.exp(1 - reference_length / hypothesis_length)


def corpus_bleu(hypotheses, references, max_n=4):
    matches = [0] * max_n
    totals = [0] * max_n
    c = 0
    r = 0
    for i in range(len(hypotheses)):
        c += len(hypotheses[i])
        r += closest_length(len(hypotheses[i]), [len(reference) for reference in references[i]])
        for n in range(1, max_n + 1):
            m, t = clipped_matches(hypotheses[i], references[i], n)
            matches[n - 1] += m
            totals[n - 1] += t
    product = 1
    for m, t in zip(matches, totals):
        if t == 0:
            return 0
        product *= m / t
    return brevity_penalty(c, r) * product ** (1 / max_n)
