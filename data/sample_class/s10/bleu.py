"""BLEU: how much of a translation stands in what human translators wrote?

Count the pieces of a hypothesis that a reference has too, short pieces and long ones; do not pay twice for a piece
that a reference has once; and take something off where too little was said.
"""

from collections import Counter
from collections.abc import Hashable, Sequence

Tokens = Sequence[Hashable]


def ngram_counts(tokens: Tokens, n: int) -> Counter:
    """How often each n-gram, a tuple of n neighbours, occurs in a sentence.

    tokens: c tokens -> counts with the sum c - n + 1, or nothing if the sentence is shorter than n

    >>> ngram_counts(["a", "rose", "is", "a", "rose"], 2)
    Counter({('a', 'rose'): 2, ('rose', 'is'): 1, ('is', 'a'): 1})
    """
    return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))


def clipped_matches(hypothesis: Tokens, references: Sequence[Tokens], n: int) -> tuple[int, int]:
    """How many n-grams of the hypothesis match a reference, and how many it has.

    Each n-gram matches at most as often as it occurs in the one reference that has it most.

    hypothesis: c tokens, references: one sentence or more -> (matches, total)

    >>> clipped_matches(["the", "the", "the"], [["the", "cat"], ["the", "mat", "the", "cat"]], 1)
    (2, 3)
    """
    raise NotImplementedError("clipped_matches is yours to write")


def closest_length(hypothesis_length: int, reference_lengths: Sequence[int]) -> int:
    """The length of a reference that is nearest to that of the hypothesis; of two equally near ones the shorter.

    hypothesis_length: one number, reference_lengths: one number or more -> one of reference_lengths

    >>> closest_length(7, [9, 8, 6])
    6
    """
    return sorted(reference_lengths, key=lambda length: (abs(hypothesis_length - length), length))[0]


def brevity_penalty(hypothesis_length: int, reference_length: int) -> float:
    """The factor for translations that say too little: 1 if they are long enough, 0 if they say nothing.

    hypothesis_length c, reference_length r -> exp(1 - r / c), but at most 1

    >>> brevity_penalty(12, 10)
    1.0
    """
    raise NotImplementedError("brevity_penalty is yours to write")


def corpus_bleu(hypotheses: Sequence[Tokens], references: Sequence[Sequence[Tokens]], max_n: int = 4) -> float:
    """The BLEU of a whole corpus: brevity penalty times the geometric mean of the precisions of 1- to max_n-grams.

    hypotheses: N sentences, references: for each of them one sentence or more -> one float from 0 to 1

    >>> corpus_bleu([["so", "it", "is"]], [[["so", "it", "was"], ["it", "is", "so"]]], max_n=2)
    1.0
    """
    raise NotImplementedError("corpus_bleu is yours to write")
