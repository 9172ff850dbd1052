"""BLEU: the average over the sentences of a corpus."""

from collections import Counter
from math import exp, log


def ngram_counts(tokens, n):
    return Counter(zip(*(tokens[i:] for i in range(n))))


def clipped_matches(hypothesis, references, n):
    counts = ngram_counts(hypothesis, n)
    clip = Counter()
    for reference in references:
        clip |= ngram_counts(reference, n)
    return sum((counts & clip).values()), sum(counts.values())


def closest_length(hypothesis_length, reference_lengths):
    return min(sorted(reference_lengths), key=lambda length: abs(length - hypothesis_length))


def brevity_penalty(hypothesis_length, reference_length):
    if hypothesis_length == 0:
        return 0.0
    return min(1.0, exp(1 - reference_length / hypothesis_length))


def sentence_bleu(hypothesis, references, max_n):
    logs = []
    for n in range(1, max_n + 1):
        matches, total = clipped_matches(hypothesis, references, n)
        if matches == 0:
            return 0.0
        logs.append(log(matches / total))
    closest = closest_length(len(hypothesis), [len(reference) for reference in references])
    return brevity_penalty(len(hypothesis), closest) * exp(sum(logs) / max_n)


def corpus_bleu(hypotheses, references, max_n=4):
    if not hypotheses:
        return 0.0
    scores = [sentence_bleu(h, refs, max_n) for h, refs in zip(hypotheses, references)]
    return sum(scores) / len(scores)
