"""Word alignment: which word of a sentence belongs to which word of its translation.

Nobody has drawn the links. But whoever knew them could count how words are translated, and whoever knew how words are
translated could guess the links. IBM model 1 begins with knowing neither, and goes round in this circle.
"""

import math
from collections import Counter, defaultdict

NULL = None  # a source word that stands at position -1 of every sentence: target words without a partner belong to it

Sentence = list[str]
Pair = tuple[Sentence, Sentence]  # source words, target words
Table = dict[tuple[str, str | None], float]  # (target word, source word or NULL) -> a probability, or a count


def uniform_table(pairs: list[Pair]) -> Table:
    """The table that knows nothing: a source word (or NULL) becomes each target word it ever meets with equal chance.

    pairs: K sentence pairs -> one number for each pair of words that occur together; each source word's row sums to 1

    >>> uniform_table([(["ja"], ["yes", "indeed"])])
    {('yes', 'ja'): 0.5, ('indeed', 'ja'): 0.5, ('yes', None): 0.5, ('indeed', None): 0.5}
    """
    ### BEGIN SOLUTION
    met = dict.fromkeys((wanted, word) for source, target in pairs for word in [*source, NULL] for wanted in target)
    partners = Counter(word for _, word in met)  # how many different target words each source word has met
    return {(wanted, word): 1 / partners[word] for wanted, word in met}
    ### END SOLUTION


def expected_counts(pairs: list[Pair], table: Table) -> Table:
    """The E step: how often each source word is expected to stand behind each target word, if the table is right.

    pairs: K sentence pairs, table: probabilities -> soft counts; those of one target word in its sentence sum to 1

    >>> expected_counts([(["ja"], ["yes"])], {("yes", "ja"): 0.75, ("yes", None): 0.25})
    {('yes', 'ja'): 0.75, ('yes', None): 0.25}
    """
    ### BEGIN SOLUTION
    counts: Table = defaultdict(float)
    for source, target in pairs:
        words = [*source, NULL]  # l + 1 of them, and Python finds NULL at position -1
        for wanted in target:
            total = sum(table[wanted, word] for word in words)  # over all that could stand behind this one word
            for word in words:
                counts[wanted, word] += table[wanted, word] / total
    return dict(counts)
    ### END SOLUTION


def normalise(counts: Table) -> Table:
    """The M step: the share of each target word in what its source word was counted for.

    counts: numbers above 0 -> probabilities with the same keys; each source word's row sums to 1

    >>> normalise({("yes", "ja"): 3, ("indeed", "ja"): 1, ("yes", None): 2})
    {('yes', 'ja'): 0.75, ('indeed', 'ja'): 0.25, ('yes', None): 1.0}
    """
    ### BEGIN SOLUTION
    totals: dict[str | None, float] = defaultdict(float)
    for (_, word), count in counts.items():
        totals[word] += count
    return {(wanted, word): count / totals[word] for (wanted, word), count in counts.items()}
    ### END SOLUTION


def log_likelihood(pairs: list[Pair], table: Table) -> float:
    """How probable all target sentences are, given their source sentences: the logarithm, summed over the pairs.

    pairs: K sentence pairs, table: probabilities -> one float, at most 0

    >>> round(log_likelihood([(["ja"], ["yes"])], {("yes", "ja"): 0.75, ("yes", None): 0.25}), 4)
    -0.6931
    """
    ### BEGIN SOLUTION
    total = 0.0
    for source, target in pairs:
        words = [*source, NULL]
        for wanted in target:  # each chooses one of the l + 1 source words blindly, and is then made by it
            total += math.log(sum(table[wanted, word] for word in words) / len(words))
    return total
    ### END SOLUTION


def train(pairs: list[Pair], iterations: int) -> Table:
    """The table after some rounds of EM from the uniform one; no round makes the pairs less probable.

    pairs: K sentence pairs -> one number for each pair of words that occur together

    >>> train([(["ja"], ["yes"]), (["ja", "ja"], ["yes", "yes"])], iterations=3)
    {('yes', 'ja'): 1.0, ('yes', None): 1.0}
    """
    ### BEGIN SOLUTION
    table = uniform_table(pairs)
    for _ in range(iterations):
        table = normalise(expected_counts(pairs, table))
    return table
    ### END SOLUTION


def align(source: Sentence, target: Sentence, table: Table) -> list[int | None]:
    """For each target word the position of the source word that most probably made it, or None for NULL.

    source: l words, target: m words -> m positions from 0 to l - 1, or None; of equals the lowest, NULL last

    >>> align(["ja"], ["oh", "yes"], {("oh", "ja"): 0.1, ("yes", "ja"): 0.9, ("oh", None): 0.7, ("yes", None): 0.3})
    [None, 0]
    """
    ### BEGIN SOLUTION
    words = [*source, NULL]
    positions = [*range(len(source)), None]
    links = []
    for wanted in target:  # no link depends on another, so each takes its best
        row = [table[wanted, word] for word in words]
        links.append(positions[row.index(max(row))])  # index finds the first of equals
    return links
    ### END SOLUTION
