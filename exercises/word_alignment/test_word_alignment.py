"""Public tests of word_alignment, to work by. The hidden tests ask more, and of other inputs."""

import math

from grader.judge import Mismatch, assert_close, assert_equal, criterion, show

ROUNDING = {"rtol": 1e-5, "atol": 1e-6}
HOUSE = (["das", "Haus"], ["the", "house"])
BOOK = (["das", "Buch"], ["the", "book"])


def number(found):
    """A number, whatever kind of number it is."""
    return found.item() if hasattr(found, "item") else found


def same_table(found, expected, what):
    """Both have the same numbers; a pair that one of them leaves out has 0 there."""
    assert isinstance(found, dict), f"{what} must be a dict, not {show(found)}"
    found = {key: number(value) for key, value in found.items()}
    asked = {key: found.get(key, 0) for key in expected}
    more = {key: value for key, value in found.items() if key not in expected and value != 0}
    assert_close(asked | more, expected, what, **ROUNDING)


def check_learning(table):
    """Something was learnt: Haus rather makes house than das does, and the is rather made by das than house is."""
    assert isinstance(table, dict), f"a table must be a dict, not {show(table)}"
    likely = [(("house", "Haus"), ("house", "das")), (("the", "das"), ("house", "das"))]
    likely += [(("book", "Buch"), ("book", "das")), (("the", "das"), ("book", "das"))]
    for better, worse in likely:
        numbers = [number(table.get(key)) for key in (better, worse)]
        assert all(isinstance(one, int | float) for one in numbers), f"{better} and {worse} need numbers in the table"
        assert numbers[0] > numbers[1], f"after a round of training, {better} must have more than {worse}"


def own_rounds(student, pairs, iterations):
    """The table after the student's own three functions were called one after the other."""
    found = student.uniform_table(pairs)
    while iterations:
        found, iterations = student.normalise(student.expected_counts(pairs, found)), iterations - 1
    return {pair: number(share) for pair, share in found.items()}


@criterion(
    "A table that knows nothing",
    points=2,
    kind="value",
    question="In the first example, how many different words has `es` ever stood beside, and how many has `ja`?",
    hint="Each source word shares 1 among the words that it has met, not among all words of the language.",
    step="Collect all (target word, source word) pairs of all sentences, NULL as a source word in each; then give "
    "each pair 1 / (number of pairs with that source word).",
)
def test_uniform_rows(student):
    """Every source word, NULL too, gives the same share to each target word that occurs beside it, and 1 in all."""
    pairs = [(["es", "regnet"], ["it", "is", "raining"]), (["ja"], ["yes"])]
    rain = {(wanted, word): 1 / 3 for word in pairs[0][0] for wanted in pairs[0][1]}
    null = {(wanted, None): 1 / 4 for wanted in ("it", "is", "raining", "yes")}
    same_table(student.uniform_table(pairs), rain | {("yes", "ja"): 1} | null, f"uniform_table({pairs})")
    pairs = [(["ein", "Haus"], ["a", "house"]), (["mein", "Haus"], ["my", "home"])]
    ours = {(wanted, word): 1 / 4 for word in ("Haus", None) for wanted in ("a", "house", "my", "home")}
    ours |= {("a", "ein"): 1 / 2, ("house", "ein"): 1 / 2, ("my", "mein"): 1 / 2, ("home", "mein"): 1 / 2}
    same_table(student.uniform_table(pairs), ours, f"uniform_table({pairs})")


@criterion(
    "Soft counts",
    points=2,
    kind="value",
    question="The word `the` was said once. Three words may have made it: what must their counts add up to?",
    hint="Take one target word: which source words and NULL compete for it? Divide each number by the sum of theirs.",
    step="For each target word sum table[target word, s] over s in the source words and NULL; then add "
    "table[target word, s] / sum to the count of (target word, s).",
)
def test_soft_counts(student):
    """Each target word is shared out among the source words of its sentence and NULL, as the table has them."""
    table = {("the", "das"): 0.6, ("house", "das"): 0.1, ("book", "das"): 0.3}
    table |= {("the", "Haus"): 0.2, ("house", "Haus"): 0.6, ("home", "Haus"): 0.2}
    table |= {("the", None): 0.2, ("house", None): 0.1, ("home", None): 0.3, ("book", None): 0.4}
    counts = {("the", "das"): 0.6, ("the", "Haus"): 0.2, ("the", None): 0.2}  # their numbers have the sum 1
    counts |= {("house", "das"): 0.125, ("house", "Haus"): 0.75, ("house", None): 0.125}  # and theirs 0.8
    same_table(student.expected_counts([HOUSE], table), counts, "expected_counts of das Haus, the house")
    counts = {("home", "Haus"): 0.4, ("home", None): 0.6}
    same_table(student.expected_counts([(["Haus"], ["home"])], table), counts, "expected_counts of Haus, home")


@criterion(
    "From counts to probabilities",
    points=2,
    kind="value",
    question="`das` was counted 4 times in all, 3 of them for `the`. How probable is `the`, given `das`?",
    hint="All numbers that belong to one source word must add up to 1 in the end: which of them do you sum?",
    step="First sum the counts of each source word, then divide each count by the sum of its own source word.",
)
def test_rows_sum_to_one(student):
    """Each count is divided by all counts of its source word, so that every row sums to 1."""
    counts = {("the", "das"): 3, ("house", "das"): 1, ("the", "Haus"): 1.5, ("house", "Haus"): 2.5}
    counts |= {("the", None): 0.5, ("house", None): 1.5, ("home", None): 0.5}
    table = {("the", "das"): 0.75, ("house", "das"): 0.25, ("the", "Haus"): 0.375, ("house", "Haus"): 0.625}
    table |= {("the", None): 0.2, ("house", None): 0.6, ("home", None): 0.2}
    same_table(student.normalise(counts), table, f"normalise({counts})")
    counts = {("yes", "ja"): 0.2, ("yes", None): 0.1, ("no", None): 0.3}
    table = {("yes", "ja"): 1, ("yes", None): 0.25, ("no", None): 0.75}
    same_table(student.normalise(counts), table, f"normalise({counts})")


@criterion(
    "How probable is a translation?",
    points=2,
    kind="value",
    question="Before a target word is made, one of the source words is chosen blindly. How many can be chosen?",
    hint="Work out one target word: the mean of its numbers over all source words and NULL. Then take the logarithm.",
    step="For each target word take log(sum of table[target word, s] over the source words and NULL, divided by "
    "len(source) + 1), and add these up.",
)
def test_likelihood_by_hand(student):
    """A target word's probability is its mean over all source words and NULL; the logarithms are added."""
    table = {("the", "das"): 0.6, ("house", "das"): 0.1, ("book", "das"): 0.3}
    table |= {("the", "Haus"): 0.2, ("house", "Haus"): 0.6, ("home", "Haus"): 0.2}
    table |= {("the", None): 0.2, ("house", None): 0.1, ("home", None): 0.3, ("book", None): 0.4}
    for pair, share in (
        (HOUSE, 1.0 / 3 * 0.8 / 3),
        ((["Haus"], ["home"]), 0.5 / 2),
        ((["das"], ["the", "book", "house"]), 0.8 / 2 * 0.7 / 2 * 0.2 / 2),
    ):
        found, what = number(student.log_likelihood([pair], table)), f"log_likelihood([{pair}], table)"
        assert_close(found, math.log(share), what, **ROUNDING)


@criterion(
    "Two rounds by hand",
    points=2,
    kind="value",
    question="After the first round, why does `Haus` make `house` rather than `das` does?",
    hint="One round is an E step with the last table, and then an M step. The first table is the uniform one.",
    step="Begin with the uniform table. In each round, count with the table of the round before, and normalise the "
    "counts.",
)
def test_rounds_by_hand(student):
    """Training begins with the uniform table, and each round makes a new table of the one before."""
    pairs = [HOUSE, BOOK]
    first = {("the", word): 1 / 2 for word in ("das", None)} | {("the", word): 1 / 2 for word in ("Haus", "Buch")}
    first |= {(wanted, word): 1 / 4 for wanted in ("house", "book") for word in ("das", None)}
    first |= {("house", "Haus"): 1 / 2, ("book", "Buch"): 1 / 2}
    second = {("the", word): 4 / 7 for word in ("das", None)} | {("the", word): 2 / 5 for word in ("Haus", "Buch")}
    second |= {(wanted, word): 3 / 14 for wanted in ("house", "book") for word in ("das", None)}
    second |= {("house", "Haus"): 3 / 5, ("book", "Buch"): 3 / 5}
    for iterations, expected in ((1, first), (2, second)):
        found, what = student.train(pairs, iterations), f"train({pairs}, {iterations})"
        try:
            same_table(found, expected, what)
        except Mismatch as wrong:  # if a step is wrong and the rounds are right, another criterion says so
            check_learning(found)
            try:
                same_table(found, own_rounds(student, pairs, iterations), what)
            except Mismatch:
                raise wrong from None


@criterion(
    "The best links",
    points=2,
    kind="value",
    question="How many answers are there: one for each source word, or one for each target word?",
    hint="Go through the target words. Each has a number with every source word and with NULL: where is the largest?",
    step="For each target word take the position i with the largest table[target word, source[i]], or None if "
    "table[target word, None] is larger than all of them.",
)
def test_best_links(student):
    """Each target word gets the position of the source word that most probably made it, or None for NULL."""
    table = {("do", "du"): 0.3, ("you", "du"): 0.6, ("read", "du"): 0.1}
    table |= {("do", "liest"): 0.1, ("you", "liest"): 0.2, ("read", "liest"): 0.7}
    table |= {("do", None): 0.4, ("you", None): 0.35, ("read", None): 0.25}
    for source, target, links in (
        (["liest", "du"], ["do", "you", "read"], [None, 1, 0]),
        (["du", "liest"], ["you", "read"], [0, 1]),
        (["du"], ["you", "do", "you", "read"], [0, None, 0, None]),
    ):
        assert_equal(student.align(source, target, table), links, f"align({source}, {target}, table)")
