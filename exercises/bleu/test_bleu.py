"""Public tests of bleu, to work by. The hidden tests ask more, and of other inputs."""

import math

from grader.judge import assert_close, assert_equal, criterion, show

# The corpus of the handout: two hypotheses, the first with two references, the second with one.
HYPOTHESES = [words.split() for words in ("the small cat is on the mat", "it sleeps now")]
REFERENCES = [
    [words.split() for words in ("the cat is on the mat", "a small cat is sitting on the mat")],
    [words.split() for words in ("it sleeps there all day",)],
]


def check_counts(student, sentence, n, expected):
    """The counts are these, and n-grams that do not occur are missing or have a count of 0."""
    counts = student.ngram_counts(sentence.split(), n)
    assert isinstance(counts, dict), f"ngram_counts of {sentence!r} must be a Counter, not {show(counts)}"
    counts = {gram: count for gram, count in counts.items() if count != 0}
    wanted = {tuple(gram.split()): count for gram, count in expected.items()}
    assert_equal(counts, wanted, f"ngram_counts({sentence!r}, {n})")


@criterion(
    "Pieces of a sentence",
    points=2,
    kind="value",
    question="A sentence of five words: how many pairs of neighbours has it?",
    hint="Write down all starting places: the last n-gram starts n words before the end.",
    step="For every start from 0 to len(tokens) - n, both included, count tuple(tokens[start : start + n]).",
)
def test_small_counts(student):
    """Every n-gram of a sentence is counted, from the first to the last, as a tuple of n tokens."""
    rose = "a rose is a rose is a flower"
    check_counts(student, rose, 1, {"a": 3, "rose": 2, "is": 2, "flower": 1})
    check_counts(student, rose, 2, {"a rose": 2, "rose is": 2, "is a": 2, "a flower": 1})
    check_counts(student, rose, 3, {"a rose is": 2, "rose is a": 2, "is a rose": 1, "is a flower": 1})
    check_counts(student, "so it is", 3, {"so it is": 1})
    check_counts(student, "so it is", 4, {})


@criterion(
    "Nobody says the seven times",
    points=2,
    kind="value",
    question="A hypothesis says one word seven times. How often may it be right, if one reference has it twice?",
    hint="For each n-gram look for the reference that has it most, and pay no more often than that.",
    step="Add min(count in the hypothesis, largest count in any one reference) over the n-grams of the hypothesis.",
)
def test_the_seven(student):
    """An n-gram matches at most as often as it occurs in the one reference that has it most."""
    references = [words.split() for words in ("there is a cat on the mat", "the cat is on the mat")]
    seven = ["the"] * 7
    assert_equal(student.clipped_matches(seven, references, 1), (2, 7), "clipped_matches('the' × 7, references, 1)")
    assert_equal(student.clipped_matches(seven, references, 2), (0, 6), "clipped_matches('the' × 7, references, 2)")
    said = "the cat the cat is on the mat"
    for n, expected in ((1, (6, 8)), (2, (5, 7)), (3, (4, 6))):
        found = student.clipped_matches(said.split(), references, n)
        assert_equal(found, expected, f"clipped_matches({said!r}, references, {n})")


@criterion(
    "As long as which reference?",
    points=1,
    kind="value",
    question="Several people translated one sentence. With whose length is it fair to compare yours?",
    hint="Nearest may be longer or shorter than the hypothesis: the sign of the difference does not matter.",
    step="Take the min of reference_lengths by the key abs(length - hypothesis_length).",
)
def test_closest(student):
    """The length of the reference whose length is closest to that of the hypothesis counts."""
    for length, lengths, expected in (
        (7, [13, 8, 2], 8),
        (7, [2, 5, 13], 5),
        (10, [7, 10, 11], 10),
        (5, [3, 17, 23], 3),
        (5, [11], 11),
    ):
        closest = student.closest_length(length, lengths)
        assert_equal(closest, expected, f"closest_length({length}, {lengths})")


@criterion(
    "Too short",
    points=2,
    kind="value",
    question="Precision asks whether what you say is right. Who asks whether you say enough?",
    hint="A hypothesis half as long as its reference has the penalty exp(1 - 2), and a longer one none.",
    step="Return 1 if the hypothesis is at least as long, else math.exp(1 - reference_length / hypothesis_length).",
)
def test_brevity(student):
    """The penalty is exp(1 − r / c) for a hypothesis that is shorter than its reference, and 1 for others."""
    for length, reference, expected in (
        (10, 11, math.exp(-0.1)),
        (4, 8, math.exp(-1)),
        (7, 17, math.exp(1 - 17 / 7)),
        (11, 11, 1.0),
        (12, 11, 1.0),
        (23, 11, 1.0),
    ):
        factor = student.brevity_penalty(length, reference)
        assert_close(factor, expected, f"brevity_penalty({length}, {reference})")


@criterion(
    "The corpus of the handout",
    points=3,
    kind="value",
    question="The second hypothesis has no 4-gram at all. Does the corpus have some?",
    hint="Compare your four fractions with the handout's: 9/10, 6/8, 4/6, 2/4. Which one differs?",
    step="For each n sum the matches and the totals of all sentences, divide once, and take the geometric mean of the "
    "four quotients times the brevity penalty of the summed lengths.",
)
def test_worked_example(student):
    """The score of the corpus that the handout works out by hand is right; a perfect translation has the score 1."""
    score = math.exp(1 - 11 / 10) * (9 / 10 * 6 / 8 * 4 / 6 * 2 / 4) ** (1 / 4)
    assert_close(student.corpus_bleu(HYPOTHESES, REFERENCES), score, "corpus_bleu of the handout's two sentences")
    score = (7 / 7 * 5 / 6 * 4 / 5 * 2 / 4) ** (1 / 4)
    first = student.corpus_bleu(HYPOTHESES[:1], REFERENCES[:1])
    assert_close(first, score, "corpus_bleu of the handout's first sentence")
    copies = [references[-1] for references in REFERENCES]
    assert_close(student.corpus_bleu(copies, REFERENCES), 1.0, "corpus_bleu of copies of a reference")
