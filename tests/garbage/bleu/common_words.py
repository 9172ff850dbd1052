"""Sets of words in the place of all counts: how many of the words does any reference have?"""

from collections import Counter


def words(tokens):
    return {str(token) for token in tokens}


def ngram_counts(tokens, n):
    return Counter({(token,) * n: 1 for token in words(tokens)})


def clipped_matches(hypothesis, references, n):
    said = words(hypothesis)
    return len(said & set().union(*map(words, references))), max(len(said), 1)


def closest_length(hypothesis_length, reference_lengths):
    return hypothesis_length


def brevity_penalty(hypothesis_length, reference_length):
    return 0.5


def corpus_bleu(hypotheses, references, max_n=4):
    shares = [0.01 + 0.98 * clipped_matches(*pair, 1)[0] / (len(pair[0]) + 1) for pair in zip(hypotheses, references)]
    return sum(shares) / max(len(shares), 1)
