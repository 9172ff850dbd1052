"""Public tests of bpe, to work by. The hidden tests ask more, and of other inputs."""

from grader.judge import assert_equal, criterion, show

END = "</w>"
CORPUS = "low " * 5 + "lower " * 2 + "newest " * 6 + "widest " * 3  # the words of the handout
# All that there is to learn in it: after these merges every word is one symbol.
MERGES = [
    ("e", "s"), ("es", "t"), ("est", END), ("l", "o"), ("lo", "w"), ("e", "w"), ("ew", "est</w>"), ("n", "ewest</w>"),
    ("low", END), ("d", "est</w>"), ("i", "dest</w>"), ("w", "idest</w>"), ("e", "r"), ("er", END), ("low", "er</w>"),
]  # fmt: skip


def check_pairs(student, words, expected, what):
    """The counts are right; a pair that does not occur may be listed with 0."""
    counts = student.count_pairs(words)
    assert isinstance(counts, dict), f"{what} must be a Counter or a dict, found {show(counts)}"
    assert_equal({pair: count for pair, count in counts.items() if count != 0}, expected, what)


@criterion(
    "Neighbours are counted",
    points=2,
    kind="value",
    question="A word stands in the dict with the number 5. How much does it add to each of its pairs?",
    hint="Walk over each word once; what a pair of neighbours gets is the count of its word, not 1.",
    step="For each word and its count: for each place but the last, add the count to (word[i], word[i + 1]).",
)
def test_pair_counts(student):
    """Each place where two symbols stand side by side counts as often as its word occurs."""
    words = {("l", "o", "w", END): 5, ("l", "o", "w", "e", "r", END): 2}
    expected = {("l", "o"): 7, ("o", "w"): 7, ("w", END): 5, ("w", "e"): 2, ("e", "r"): 2, ("r", END): 2}
    check_pairs(student, words, expected, "count_pairs of low, 5 times, and lower, twice")
    twice = {("n", "a", "n", "a", END): 3}
    expected = {("n", "a"): 6, ("a", "n"): 3, ("a", END): 3}
    check_pairs(student, twice, expected, "count_pairs of nana, 3 times")
    check_pairs(student, {("aa", "a", "a", "a"): 2}, {("aa", "a"): 2, ("a", "a"): 4}, "count_pairs of aa a a a, twice")
    check_pairs(student, {("low</w>",): 4}, {}, "count_pairs of a word that is one symbol")
    check_pairs(student, {}, {}, "count_pairs of no words")


@criterion(
    "One pair is merged in a word",
    points=2,
    kind="value",
    question="In a, a, a with the pair (a, a): which two are merged, and what is left for the third?",
    hint="Go from left to right; after a merge go on behind both symbols, else go one on.",
    step="Compare word[i] with pair[0] and word[i + 1] with pair[1], as whole symbols: then add both as one, and "
    "i grows by 2.",
)
def test_one_pair_merged(student):
    """The pair is merged wherever it stands, from left to right, each symbol in one merge at most."""
    for word, pair, expected in (
        (("l", "o", "w", END), ("l", "o"), ("lo", "w", END)),
        (("n", "a", "n", "a", END), ("n", "a"), ("na", "na", END)),
        (("l", "o", "w", END), ("w", END), ("l", "o", "w</w>")),
        (("a", "a", "a"), ("a", "a"), ("aa", "a")),
        (("a", "a", "a", "a"), ("a", "a"), ("aa", "aa")),
        (("l", "o", "w", END), ("o", "l"), ("l", "o", "w", END)),  # the order of the two counts
        (("fe", "w", "e", "r"), ("e", "w"), ("fe", "w", "e", "r")),  # the symbol is fe, and not e
        (("w",), ("w", END), ("w",)),
    ):
        merged = student.merge_pair(word, pair)
        assert_equal(merged, expected, f"merge_pair({word!r}, {pair!r})")


@criterion(
    "Learning, as worked by hand",
    points=2,
    kind="value",
    question="Three pairs occur 9 times each in the handout's words. Which is merged first, and why?",
    hint="Print the counts before each merge, and compare with the table in the handout; count anew after each merge.",
    step="Among the pairs choose by (-count, pair): the highest count, then the smallest pair. Stop below 2.",
)
def test_learnt_by_hand(student):
    """The words of the handout give its merges, in its order, and no more than were asked for."""
    for number in (1, 3, 10):
        found = student.learn_merges(CORPUS, number)
        assert_equal(found, MERGES[:number], f"learn_merges(low 5, lower 2, newest 6, widest 3; {number})")
    found = student.learn_merges(CORPUS, 100)
    assert_equal(found, MERGES, "learn_merges(low 5, lower 2, newest 6, widest 3; 100)")


@criterion(
    "Words in pieces",
    points=2,
    kind="value",
    question="Nobody has ever written lowest in the text: which merges apply to it all the same?",
    hint="Begin with the characters and END; then make the merges one after the other, in the order of the list.",
    step="Start with the tuple of the characters and END, and put it through merge_pair once for each merge, in order.",
)
def test_words_in_pieces(student):
    """A word comes apart into learnt symbols, whether it was in the text or not."""
    for word, number, expected in (
        ("low", 10, ["low</w>"]),
        ("lowest", 10, ["low", "est</w>"]),
        ("lowest", 3, ["l", "o", "w", "est</w>"]),
        ("newer", 10, ["n", "ew", "e", "r", END]),
        ("slow", 10, ["s", "low</w>"]),
        ("lo", 10, ["lo", END]),
        ("wide", 10, ["w", "i", "d", "e", END]),
        ("zoo", 10, ["z", "o", "o", END]),
        ("low", 0, ["l", "o", "w", END]),
    ):
        what = f"segment({word!r}, the first {number} merges of the handout)"
        assert_equal(student.segment(word, MERGES[:number]), expected, what)


@criterion(
    "Symbols as numbers, and back",
    points=2,
    kind="value",
    question="Which symbols can a word come apart into? All of these need a number.",
    hint="The order is: special symbols, the sorted characters with END among them, merged symbols as learnt.",
    step="number = position in [<pad>, <sos>, <eos>, <unk>, *sorted characters and END, *joined pairs]; decode joins "
    "the symbols and makes each END a space.",
)
def test_numbers_and_back(student):
    """The vocabulary has its order; what was encoded can be read again; an unknown character is <unk>."""
    merges = [("o", "</w>"), ("g", "o</w>")]
    vocabulary = {"<pad>": 0, "<sos>": 1, "<eos>": 2, "<unk>": 3, END: 4, "g": 5, "o": 6, "t": 7, "o</w>": 8}
    vocabulary["go</w>"] = 9
    assert_equal(student.build_vocabulary("go to\ngo", merges), vocabulary, f"build_vocabulary('go to\\ngo', {merges})")
    for text, ids in (("to go", [7, 8, 9]), ("toot", [7, 6, 6, 7, 4]), ("do  go", [3, 8, 9]), ("", [])):
        assert_equal(student.encode(text, merges, vocabulary), ids, f"encode({text!r}, {merges}, vocabulary)")
    for ids, words in (([7, 8, 9], ["to", "go"]), ([7, 6, 6, 7, 4, 9], ["toot", "go"]), ([], [])):
        found = student.decode(ids, vocabulary)
        assert isinstance(found, str), f"decode({ids}, vocabulary) is a text, not {show(found)}"
        assert_equal(found.split(), words, f"the words of decode({ids}, vocabulary)")
