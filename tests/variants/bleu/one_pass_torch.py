"""All n at once in one dictionary by n-gram, whose length is its n; the score with torch in float64."""

from collections import Counter

import torch


def ngram_counts(tokens, n):
    starts = torch.arange(max(len(tokens) - n + 1, 0)).tolist()
    return Counter([tuple(tokens[start : start + n]) for start in starts])


def up_to(tokens, max_n):
    return Counter(tuple(tokens[i:j]) for i in range(len(tokens)) for j in range(i + 1, min(i + max_n, len(tokens)) + 1))


def compare(hypothesis, references, max_n):
    most = Counter()
    for reference in references:
        most = most | up_to(reference, max_n)
    matches, totals = torch.zeros(2, max_n, dtype=torch.long)
    for gram, count in up_to(hypothesis, max_n).items():
        totals[len(gram) - 1] += count
        matches[len(gram) - 1] += min(count, most[gram])
    return matches, totals


def clipped_matches(hypothesis, references, n):
    matches, totals = compare(hypothesis, references, n)
    return matches[-1].item(), totals[-1].item()


def closest_length(hypothesis_length, reference_lengths):
    lengths = torch.tensor(reference_lengths)
    # Of equally near ones the longer gets a little more than the shorter, and less than the next distance.
    return lengths[((lengths - hypothesis_length).abs() * 2 + (lengths > hypothesis_length)).argmin()].item()


def brevity_penalty(hypothesis_length, reference_length):
    if hypothesis_length == 0:
        return 0.0
    c, r = torch.tensor([hypothesis_length, reference_length], dtype=torch.float64)
    return (1 - r / c).clamp(max=0).exp().item()


def corpus_bleu(hypotheses, references, max_n=4):
    matches, totals = torch.zeros(2, max_n, dtype=torch.long)
    for hypothesis, own in zip(hypotheses, references):
        more, all_more = compare(hypothesis, own, max_n)
        matches += more
        totals += all_more
    precisions = matches.double() / totals.clamp(min=1)
    words = sum(map(len, hypotheses))
    wanted = sum(closest_length(len(h), [len(r) for r in own]) for h, own in zip(hypotheses, references))
    return brevity_penalty(words, wanted) * precisions.log().mean().exp().item()
