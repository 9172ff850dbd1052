"""BLEU: how much of a translation stands in what human translators wrote?

Count the pieces of a hypothesis that a reference has too, short pieces and long ones; do not pay twice for a piece
that a reference has once; and take something off where too little was said.
"""

import math
from collections import Counter
from collections.abc import Hashable, Sequence

Tokens = Sequence[Hashable]


def ngram_counts(tokens: Tokens, n: int) -> Counter:
    """How often each n-gram, a tuple of n neighbours, occurs in a sentence.

    tokens: c tokens -> counts with the sum c - n + 1, or nothing if the sentence is shorter than n

    >>> ngram_counts(["a", "rose", "is", "a", "rose"], 2)
    Counter({('a', 'rose'): 2, ('rose', 'is'): 1, ('is', 'a'): 1})
    """
    ### BEGIN SOLUTION
    return Counter(tuple(tokens[start : start + n]) for start in range(len(tokens) - n + 1))
    ### END SOLUTION


def clipped_matches(hypothesis: Tokens, references: Sequence[Tokens], n: int) -> tuple[int, int]:
    """How many n-grams of the hypothesis match a reference, and how many it has.

    Each n-gram matches at most as often as it occurs in the one reference that has it most.

    hypothesis: c tokens, references: one sentence or more -> (matches, total)

    >>> clipped_matches(["the", "the", "the"], [["the", "cat"], ["the", "mat", "the", "cat"]], 1)
    (2, 3)
    """
    ### BEGIN SOLUTION
    most: Counter = Counter()
    for reference in references:
        most |= ngram_counts(reference, n)  # of each n-gram the larger count
    counts = ngram_counts(hypothesis, n)
    return (counts & most).total(), counts.total()  # & keeps the smaller count
    ### END SOLUTION


def closest_length(hypothesis_length: int, reference_lengths: Sequence[int]) -> int:
    """The length of a reference that is nearest to that of the hypothesis; of two equally near ones the shorter.

    hypothesis_length: one number, reference_lengths: one number or more -> one of reference_lengths

    >>> closest_length(7, [9, 8, 6])
    6
    """
    ### BEGIN SOLUTION
    return min(reference_lengths, key=lambda length: (abs(length - hypothesis_length), length))
    ### END SOLUTION


def brevity_penalty(hypothesis_length: int, reference_length: int) -> float:
    """The factor for translations that say too little: 1 if they are long enough, 0 if they say nothing.

    hypothesis_length c, reference_length r -> exp(1 - r / c), but at most 1

    >>> brevity_penalty(12, 10)
    1.0
    """
    ### BEGIN SOLUTION
    if hypothesis_length == 0:
        return 0.0
    return math.exp(min(0.0, 1 - reference_length / hypothesis_length))
    ### END SOLUTION


def corpus_bleu(hypotheses: Sequence[Tokens], references: Sequence[Sequence[Tokens]], max_n: int = 4) -> float:
    """The BLEU of a whole corpus: brevity penalty times the geometric mean of the precisions of 1- to max_n-grams.

    hypotheses: N sentences, references: for each of them one sentence or more -> one float from 0 to 1

    >>> corpus_bleu([["so", "it", "is"]], [[["so", "it", "was"], ["it", "is", "so"]]], max_n=2)
    1.0
    """
    ### BEGIN SOLUTION
    pairs = list(zip(hypotheses, references, strict=True))
    logs = 0.0
    for n in range(1, max_n + 1):
        counted = [clipped_matches(hypothesis, own, n) for hypothesis, own in pairs]
        matches = sum(match for match, _ in counted)  # first the sums over the corpus,
        total = sum(size for _, size in counted)
        if matches == 0:
            return 0.0  # a mean of factors, one of which is 0; or there is no n-gram at all
        logs += math.log(matches / total)  # then one division
    length = sum(len(hypothesis) for hypothesis, _ in pairs)
    wanted = sum(closest_length(len(hypothesis), [len(one) for one in own]) for hypothesis, own in pairs)
    return brevity_penalty(length, wanted) * math.exp(logs / max_n)
    ### END SOLUTION
