"""Word alignment: which word of a sentence belongs to which word of its translation.

Nobody has drawn the links. But whoever knew them could count how words are translated, and whoever knew how words are
translated could guess the links. IBM model 1 begins with knowing neither, and goes round in this circle.
"""

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
    raise NotImplementedError("uniform_table is yours to write")


def expected_counts(pairs: list[Pair], table: Table) -> Table:
    """The E step: how often each source word is expected to stand behind each target word, if the table is right.

    pairs: K sentence pairs, table: probabilities -> soft counts; those of one target word in its sentence sum to 1

    >>> expected_counts([(["ja"], ["yes"])], {("yes", "ja"): 0.75, ("yes", None): 0.25})
    {('yes', 'ja'): 0.75, ('yes', None): 0.25}
    """
    raise NotImplementedError("expected_counts is yours to write")


def normalise(counts: Table) -> Table:
    """The M step: the share of each target word in what its source word was counted for.

    counts: numbers above 0 -> probabilities with the same keys; each source word's row sums to 1

    >>> normalise({("yes", "ja"): 3, ("indeed", "ja"): 1, ("yes", None): 2})
    {('yes', 'ja'): 0.75, ('indeed', 'ja'): 0.25, ('yes', None): 1.0}
    """
    raise NotImplementedError("normalise is yours to write")


def log_likelihood(pairs: list[Pair], table: Table) -> float:
    """How probable all target sentences are, given their source sentences: the logarithm, summed over the pairs.

    pairs: K sentence pairs, table: probabilities -> one float, at most 0

    >>> round(log_likelihood([(["ja"], ["yes"])], {("yes", "ja"): 0.75, ("yes", None): 0.25}), 4)
    -0.6931
    """
    raise NotImplementedError("log_likelihood is yours to write")


def train(pairs: list[Pair], iterations: int) -> Table:
    """The table after some rounds of EM from the uniform one; no round makes the pairs less probable.

    pairs: K sentence pairs -> one number for each pair of words that occur together

    >>> train([(["ja"], ["yes"]), (["ja", "ja"], ["yes", "yes"])], iterations=3)
    {('yes', 'ja'): 1.0, ('yes', None): 1.0}
    """
    raise NotImplementedError("train is yours to write")


def align(source: Sentence, target: Sentence, table: Table) -> list[int | None]:
    """For each target word the position of the source word that most probably made it, or None for NULL.

    source: l words, target: m words -> m positions from 0 to l - 1, or None; of equals the lowest, NULL last

    >>> align(["ja"], ["oh", "yes"], {("oh", "ja"): 0.1, ("yes", "ja"): 0.9, ("oh", None): 0.7, ("yes", None): 0.3})
    [None, 0]
    """
    raise NotImplementedError("align is yours to write")
