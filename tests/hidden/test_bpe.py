"""Hidden tests of bpe.

Expected values come from a text in which every symbol is one character, merged ones a character that no word has. So a
merge is `str.replace`, which goes from left to right and finds no two that overlap, and counting is a look at all
neighbours in the whole text: slow, and nothing that one could do wrong.

A criterion looks at its own property. Learning is asked where no two pairs are equally frequent, but in `equal_counts`.
Whoever learns with a wrong `count_pairs` or a wrong `merge_pair`, but learns rightly with what these say, or cuts words
rightly with them, has made one mistake, of which other criteria tell (`assert_right`); `check_sense` and
`check_pieces` make sure that anything is computed at all. `merges` are always such as can be learnt: then it is
the same whether one goes through them once, or looks again and again for the first of them that fits.
"""

from collections import Counter
from itertools import pairwise

from grader.judge import Mismatch, assert_equal, criterion, module_of, show

END = "</w>"
WORDS = 1_000_000  # in the long text; about 35 of them are different
MERGES = 250  # to be learnt in it


class Characters:
    """A character for each symbol, and the symbol of each character."""

    def __init__(self):
        self.characters, self.symbols = {}, {}

    def of(self, symbol):
        if len(symbol) == 1:
            return symbol
        character = self.characters.setdefault(symbol, chr(0xE000 + len(self.characters)))
        self.symbols[character] = symbol
        return character

    def symbol(self, character):
        return self.symbols.get(character, character)

    def merge(self, line, left, right):
        return line.replace(self.of(left) + self.of(right), self.of(left + right))


def learn(text, most, order=lambda pair: pair):
    """The merges, and for each of them whether other pairs were as frequent; among those the first by `order`."""
    characters, merges, tied = Characters(), [], []
    line = " ".join(word + characters.of(END) for word in text.split())
    while len(merges) < most:
        counts = Counter(pair for pair in pairwise(line) if " " not in pair)
        top = max(counts.values(), default=0)
        if top < 2:
            break
        best = [tuple(map(characters.symbol, pair)) for pair, count in counts.items() if count == top]
        merges.append(min(best, key=order))
        tied.append(len(best) > 1)
        line = characters.merge(line, *merges[-1])
    return merges, tied


def clear_merges(text, most=30):
    """The merges up to the first for which there is a choice."""
    merges, tied = learn(text, most)
    return merges[: [*tied, True].index(True)]


def cut(word, merges):
    """The symbols of a word."""
    characters = Characters()
    line = word + characters.of(END)
    for left, right in merges:
        line = characters.merge(line, left, right)
    return [characters.symbol(character) for character in line]


def number_symbols(text, merges):
    """The vocabulary: the id of a character or END tells how many of them are smaller."""
    letters = {END}.union(*text.split())
    vocabulary = {"<pad>": 0, "<sos>": 1, "<eos>": 2, "<unk>": 3}
    vocabulary |= {letter: 4 + sum(other < letter for other in letters) for letter in letters}
    for left, right in merges:
        vocabulary[left + right] = len(vocabulary)
    return vocabulary


def to_ids(text, merges, vocabulary):
    return [vocabulary.get(symbol, 3) for word in text.split() for symbol in cut(word, merges)]


def assert_right(found, expected, own, what):
    """It is right, or what follows from the student's own answer to a plainer question: another criterion asks that."""
    try:
        assert_equal(found, expected, what)
    except Mismatch as wrong:
        try:
            assert_equal(found, own(), what)
        except Mismatch:
            raise wrong from None


def pairs_of(student, words):
    """What the student's count_pairs says, as far as it occurs."""
    found = student.count_pairs(words)
    assert isinstance(found, dict), f"count_pairs must return a Counter or a dict, found {show(found)}"
    for pair, count in found.items():
        known = isinstance(pair, tuple) and len(pair) == 2 and all(isinstance(symbol, str) for symbol in pair)
        assert known and isinstance(count, int), f"{show(pair)}: {show(count)} is no pair of symbols with its count"
    return {pair: count for pair, count in found.items() if count != 0}


def symbols_of(student, word, pair):
    """What the student's merge_pair says."""
    found = student.merge_pair(word, pair)
    known = isinstance(found, tuple) and all(isinstance(symbol, str) for symbol in found)
    assert known, f"merge_pair must return a tuple of symbols, found {show(found)}"
    return found


def learn_with(student, text, most):
    """What is learnt from the counts and the merged words of the student's functions."""
    words = {(*word, END): count for word, count in Counter(text.split()).items()}
    merges = []
    while len(merges) < most:
        counts = pairs_of(student, words)
        best = min(counts, key=lambda pair: (-counts[pair], pair), default=None)
        if best is None or counts[best] < 2:
            break
        merges.append(best)
        words = {symbols_of(student, word, best): count for word, count in words.items()}
    return merges


def cut_with(student, word, merges):
    symbols = (*word, END)
    for pair in merges:
        symbols = symbols_of(student, symbols, pair)
    return list(symbols)


def check_sense(student, rng):
    """Two letters that stand side by side in every word, where all others do so once, are merged first."""
    for _ in range(2):
        a, b, c, d, e, f, g = rng.sample("abcdefghijklmnopqrstuvwxyz", k=7)
        text = f"{c}{a}{b}{d} {a}{b}{e}{c} {f}{d}{a}{b}{g} {e}{a}{b}{f} {g}{a}{b}"
        found = student.learn_merges(text, 1)
        what = f"learn_merges({text!r}, 1)"
        assert isinstance(found, list) and found, f"{what} must be a list of one pair, found {show(found)}"
        assert set(found[0]) == {a, b}, f"{what} must be the pair of {a} and {b}, found {show(found)}"


def check_pieces(student, rng):
    """A word without merges is its letters; with one merge, it has one symbol less."""
    a, b, c = rng.sample("abcdefghijklmnopqrstuvwxyz", k=3)
    for merges, first in (([], [a, b, c]), ([(a, b)], [a + b]), ([(b, c)], [a, b + c])):
        found = student.segment(a + b + c, merges)
        what = f"segment({a + b + c!r}, {merges})"
        assert isinstance(found, list), f"{what} must be a list of symbols, found {show(found)}"
        assert_equal(found[: len(first)], first, f"the first symbols of {what}")


def check_learning(student, text, most=30):
    """The merges of this text are right, as far as all of them are the only choice."""
    merges = clear_merges(text, most)
    assert merges, f"nothing to ask about {text!r}"
    found = student.learn_merges(text, len(merges))
    assert_right(
        found, merges, lambda: learn_with(student, text, len(merges)), f"learn_merges({text!r}, {len(merges)})"
    )


def draw_word(rng, letters, longest, shortest=1, repeats=True):
    """A word; without `repeats` no pair stands in it twice."""
    size = rng.randint(shortest, longest)
    return "".join(rng.choices(letters, k=size) if repeats else rng.sample(letters, k=min(size, len(letters))))


def draw_text(rng, letters, kinds=9, longest=7, most=23, repeats=True):
    """Words of some kinds, each of them some times, in any order."""
    words = [draw_word(rng, letters, longest, repeats=repeats) for _ in range(kinds)]
    words = [word for word in words for _ in range(rng.randint(1, most))]
    rng.shuffle(words)
    return " ".join(words)


def draw_clear_text(rng, letters, at_least=4, **sizes):
    """A text whose first merges are the only choice."""
    while True:
        text = draw_text(rng, letters, **sizes)
        if len(clear_merges(text, at_least)) == at_least:
            return text


@criterion(
    "Pairs of any symbols",
    points=2,
    kind="value",
    hint="A pair is two symbols and never their joined text; each place in a word counts, times the count of the word.",
)
def test_pairs_of_any_symbols(student, rng):
    """Whatever the symbols are, each place where two of them stand side by side counts as often as its word."""
    symbols = ["a", "b", "ab", "ba", "aab", END, "b</w>"]
    for most, kinds in ((1, 5), (4, 7), (10**12, 11)):
        words = {tuple(rng.choices(symbols, k=rng.randint(1, 7))): rng.randint(1, most) for _ in range(kinds)}
        words |= {("a", "a", "a", "a", END): most, ("ab", "a"): 2, ("a", "ba"): 3, ("b", "b</w>"): 1}
        expected = {}
        for left in symbols:
            for right in symbols:
                places = [
                    count
                    for word, count in words.items()
                    for place in range(1, len(word))
                    if word[place - 1] == left and word[place] == right
                ]
                if places:
                    expected[left, right] = sum(places)
        assert_equal(pairs_of(student, words), expected, f"count_pairs({words!r})")
    assert_equal(pairs_of(student, {("a",): 3, (END,): 2}), {}, "count_pairs of words of one symbol")
    assert_equal(pairs_of(student, {}), {}, "count_pairs({})")


@criterion(
    "From left to right",
    points=2,
    kind="value",
    hint="Build a new row of symbols from left to right: two at a time where the pair stands, else one; compare whole "
    "symbols.",
)
def test_from_left_to_right(student, rng):
    """In any word the pair is merged at all of its places that do not overlap, and nowhere else."""
    symbols = ["a", "b", "c", "ab", "bc", "ca", END]
    for letters, longest in (("a", 9), (symbols[:2], 9), (symbols, 12)):
        for _ in range(9):
            word = tuple(rng.choices(letters, k=rng.randint(1, longest)))
            pair = tuple(rng.choices(letters, k=2))
            if len(word) > 1 and rng.random() < 0.7:  # one that is there
                place = rng.randrange(len(word) - 1)
                pair = word[place : place + 2]
            characters = Characters()
            line = characters.merge("".join(map(characters.of, word)), *pair)
            expected = tuple(map(characters.symbol, line))
            assert_equal(student.merge_pair(word, pair), expected, f"merge_pair({word!r}, {pair!r})")
    for word, pair in (  # all look alike when they are joined
        (("a", "bc", END), ("ab", "c")),
        (("ab", "c", END), ("a", "bc")),
        (("a", "b", "c", END), ("ab", "c")),
        (("abc", END), ("ab", "c")),
        (("ca", "b", "bc", "a"), ("a", "b")),
        (("b",), ("b", END)),
        ((), ("a", "b")),
    ):
        assert_equal(student.merge_pair(word, pair), word, f"merge_pair({word!r}, {pair!r})")


@criterion(
    "The most frequent pair, again and again",
    points=3,
    kind="value",
    hint="After each merge the words are others, so the counts are others: a pair can become rarer, and new ones come.",
)
def test_most_frequent_first(student, rng):
    """Where one pair is more frequent than all others, it is merged, as a search of the whole text finds out."""
    check_sense(student, rng)
    for letters, at_least, longest in (("ab", 4, 9), ("abc", 5, 7), ("abcde", 5, 6), ("aab", 4, 8), ("abcd", 5, 5)):
        check_learning(student, draw_clear_text(rng, letters, at_least, longest=longest), at_least)
    check_learning(student, "cdefg cdefg ab ab ab abc bab")
    check_learning(student, " ".join(["ab" * 4] * 3 + ["ba"] * 4 + ["cab"] * 2))


@criterion(
    "Equally frequent pairs",
    points=2,
    kind="value",
    hint="Of pairs with the same count take the smallest, as Python compares two tuples: min with (-count, pair).",
)
def test_equal_counts(student, rng):
    """Of several most frequent pairs the lexicographically smallest is merged, wherever it stands in the text."""
    check_sense(student, rng)
    texts = ["zb za zb za", "ba ba ab ab", "a1 1a a1 1a", "Za Za aZ aZ", "dc cd dc cd ca ca"]
    for letters in ("abcd", "ab1c", "aB2é"):  # END stands between digits and letters
        texts += [draw_text(rng, letters, kinds=7, longest=4, most=2, repeats=False) for _ in range(3)]
    while len(texts) < 17:  # where it matters that tuples are compared, and not joined texts
        text = draw_text(rng, "abcd", kinds=8, longest=4, most=3, repeats=False)
        if learn(text, 9)[0] != learn(text, 9, order="".join)[0]:
            texts.append(text)
    for text in texts:
        merges, _ = learn(text, 9)
        found, number = student.learn_merges(text, len(merges)), len(merges)
        what = f"learn_merges({text!r}, {number})"
        assert_right(found, merges, lambda text=text, number=number: learn_with(student, text, number), what)


@criterion(
    "When to stop",
    points=2,
    kind="robustness",
    hint="Stop at num_merges, or as soon as the highest count is 1; a text may have no words, and a word no pair.",
)
def test_when_to_stop(student, rng):
    """No more merges than asked for, and none of a pair that occurs once only."""
    check_sense(student, rng)
    letters = rng.sample("abcdefghijklmnopqrstuvwxyz", k=11)
    word, front, back = "".join(letters[:5]), "".join(letters[5:8]), "".join(letters[8:])
    for text, most, number in (
        (f"{word} {word}", 100, 5),
        (f"{word} {word} {word}", 100, 5),
        (f"{word} {word}", 5, 5),
        (f"{word} {word} {word}", 3, 3),
        (f"{word} {word}", 1, 1),
        (f"{word} {word}", 0, 0),
        (word, 100, 0),
        (f"{word} {front} {back}", 7, 0),
        (f"{front}{letters[0]} {front}{letters[1]}", 100, 2),  # what they have in common
        (f"{letters[0]} {letters[0]}", 100, 1),
        (letters[0], 100, 0),
        ("", 4, 0),
        (" \n\t ", 4, 0),
    ):
        found = student.learn_merges(text, most)
        what = f"learn_merges({text!r}, {most})"
        assert isinstance(found, list), f"{what} must be a list of pairs, found {show(found)}"
        assert all(isinstance(pair, tuple | list) and len(pair) == 2 for pair in found), f"{what} must be pairs"
        assert_equal(len(found), number, f"the number of merges of {what}")


@criterion(
    "Words are what split() gives",
    points=2,
    kind="invariance",
    hint="text.split(), and nothing else: no lower(), no strip of marks; and no pair reaches into the next word.",
)
def test_nothing_but_words(student, rng):
    """Any white space separates words, characters are left as they are, and merges stay within a word."""
    check_sense(student, rng)
    spaces = ("\t", "\n", "\r\n", "\u00a0", "\x0b", "\u2003", "   ", " ")
    for letters in ("aAbB", "x-'.", "7(<!", "東京都ß", "e\u0301\u00e9E"):
        # As no two pairs are equally frequent, it does not matter which characters are the smaller ones.
        words = draw_clear_text(rng, "0123", 5, repeats=False).translate(str.maketrans("0123", letters)).split()
        check_learning(student, "".join(word + rng.choice(spaces) for word in words), 5)
    for text in (
        "ba ba ba b b b b ab",  # most often a b is followed by an a or a b: the next word's
        "ab ba ab ba ab cabd",
    ):
        check_learning(student, text)
    words = draw_clear_text(rng, "abcd", 4, repeats=False).split()
    for space in (" \n", "\n\n \t"):  # in any order, between any spaces, with spaces at both ends
        rng.shuffle(words)
        check_learning(student, space + space.join(words) + space, 4)


@criterion(
    "Merges in the order in which they were learnt",
    points=3,
    kind="value",
    hint="The list of merges decides, not the length of a symbol and not its place in the word: the first merge first, "
    "wherever it fits; then the second.",
)
def test_pieces_in_order(student, rng):
    """Any word comes apart as it would have been merged while learning, END and unknown characters included."""
    check_pieces(student, rng)
    for letters, most in (("ab", 12), ("aBc", 25), ("abcd.", 40)):
        text = draw_text(rng, letters, kinds=12, longest=8)
        merges, _ = learn(text, most)
        words = [draw_word(rng, letters, 9) for _ in range(9)] + sorted(set(text.split()))[:5]
        words += [draw_word(rng, letters + "xé", 9) for _ in range(4)] + ["y", letters[0], "x" + letters, "ü<"]
        for word in words:
            for known in (merges, merges[: len(merges) // 2]):
                found, what = student.segment(word, known), f"segment({word!r}, {known!r})"
                assert_right(
                    found, cut(word, known), lambda word=word, known=known: cut_with(student, word, known), what
                )
    a, b, c, d = rng.sample("abcdefghijklmnop", k=4)
    for merges, word, expected in (
        ([(b, c), (b + c, END), (a, b)], a + b + c, [a, b + c + END]),  # what comes first in the word is not first
        ([(b, c), (a, b)], a + b + c + a + b, [a, b + c, a + b, END]),
        ([(a, b), (c, d), (b, c)], a + b + c + d + b + c, [a + b, c + d, b + c, END]),
        ([(c, d), (b, c), (a, b), (a + b, c)], a + b + c + d, [a + b, c + d, END]),  # the longest is not first
        ([(a, b)], a + b + a + b + b + a, [a + b, a + b, b, a, END]),
    ):
        found, what = student.segment(word, merges), f"segment({word!r}, {merges!r})"
        assert_right(found, expected, lambda word=word, merges=merges: cut_with(student, word, merges), what)


@criterion(
    "Every symbol has its number",
    points=2,
    kind="value",
    hint="Four special symbols; one sorted list of the characters in words and END; then the merged ones as learnt.",
)
def test_every_symbol_numbered(student, rng):
    """The vocabulary has the special symbols, all characters and END sorted together, and every merged symbol."""
    for letters in ("badc", "b3Za1", "é<a7ß-"):
        text = draw_text(rng, letters, most=4)
        merges, _ = learn(text, 25)
        other = draw_text(rng, "xyz", most=3)
        for asked, known in (
            (text, merges),
            (text, merges[:3]),
            (text.replace(" ", "\n\t "), []),
            (f"{other} {text}", merges),
            (other, merges[:5]),  # learnt elsewhere
        ):
            found = student.build_vocabulary(asked, known)
            assert_equal(found, number_symbols(asked, known), f"build_vocabulary({asked!r}, {known!r})")


@criterion(
    "There and back",
    points=3,
    kind="value",
    hint="encode: each symbol of each word, <unk> for what is not in the vocabulary; decode: END ends a word, wherever "
    "in a symbol it stands.",
)
def test_there_and_back(student, rng):
    """Each symbol becomes its id, an unknown one 3, and the ids of a text become its words again."""
    for letters in ("abc", "aBcDe", "a7<.é"):
        learnt = draw_text(rng, letters, kinds=12)
        merges, _ = learn(learnt, 25)
        for known in ([], merges[:6], merges):
            vocabulary = number_symbols(learnt, known)
            words = rng.choices(learnt.split(), k=5) + [draw_word(rng, sorted(set(learnt) - {" "}), 6) for _ in "12345"]
            rng.shuffle(words)
            text = " \n".join(words)
            ids = to_ids(text, known, vocabulary)
            found, what = student.encode(text, known, vocabulary), f"encode({text!r}, {known!r}, its vocabulary)"

            def follows(text=text, known=known, vocabulary=vocabulary):
                symbols = [symbol for word in text.split() for symbol in student.segment(word, known)]
                return [vocabulary.get(symbol, 3) for symbol in symbols if isinstance(symbol, str)]

            if known:
                assert_right(found, ids, follows, what)
            else:
                assert_equal(found, ids, what)
            found, what = student.decode(ids, vocabulary), f"decode({ids}, the vocabulary of {known!r})"
            assert isinstance(found, str), f"{what} must be a text, found {show(found)}"
            assert_equal(found.split(), words, f"the words of {what}")

            strange = f"{words[0]} x{words[1]}xx {words[2]}x y {words[3]}\tyx {words[4]}"
            ids, what = to_ids(strange, [], vocabulary), f"encode({strange!r}, [], a vocabulary without x and y)"
            assert_equal(student.encode(strange, [], vocabulary), ids, what)
            found = student.decode(ids, vocabulary)  # how <unk> is shown is not asked
            assert isinstance(found, str), f"decode({ids}, vocabulary) must be a text, found {show(found)}"
            ends = [found.split()[place] for place in (0, -1)] if found.split() else []
            assert_equal(ends, [words[0], words[4]], f"the first and the last word of decode({ids}, vocabulary)")
    for text in ("", " \n"):
        assert_equal(student.encode(text, merges, vocabulary), [], f"encode({text!r}, merges, vocabulary)")
    assert_equal(student.decode([], vocabulary).split(), [], "the words of decode([], vocabulary)")


@criterion(
    "A call leaves no trace",
    points=2,
    kind="robustness",
    hint="Work on dicts and lists of your own; whatever an answer depends on belongs to the call, not to the module.",
)
def test_no_trace(student, rng):
    """The arguments are unchanged after a call, and the answer does not depend on the calls before it."""
    a, b, c = rng.sample("abcdefgh", k=3)
    one, other = [(a, b), (a + b, c)], [(b, c), (b + c, END)]
    text = f"{a}{b}{c} {a}{b} {a}{b}{c}"
    vocabulary, shifted = number_symbols(text, one), number_symbols(f"{text} ?", one)
    calls = {  # of each function two that have different answers
        "count_pairs": [({(a, b, END): 3, (b,): 1, (b, c, END): 2},), ({(c, b, END): 3, (b,): 1, (b, a, END): 2},)],
        "merge_pair": [((a, b, c, END), (a, b)), ((a, b, c, END), (b, c))],
        "learn_merges": [(f"{a}{b} c{a}{b}d {a}{b}{c}", 1), (f"{b}{c} d{b}{c}d {b}{c}{a}", 1)],
        "segment": [(a + b + c, one), (a + b + c, other)],
        "build_vocabulary": [(text, one), (text.replace(a, "z"), other)],
        "encode": [(text + " ??", one, vocabulary), (text + " ??", other, number_symbols(text, other))],
        "decode": [([5, 6, 7, 4], vocabulary), ([5, 6, 7, 4], shifted)],
    }
    calls["encode"].append((text + " ??", one, shifted))
    for name, asked in calls.items():
        first = [getattr(student, name).observe(*arguments) for arguments in asked]
        for reply, arguments in zip(first, asked, strict=True):
            assert_equal(list(reply.args), list(arguments), f"the arguments of {name} after the call")
            assert reply.value is not None, f"{name} returns nothing"
            again = getattr(student, name)(*arguments)
            assert_equal(again, reply.value, f"{name}, called with the same arguments once more,")
        for reply in first[1:]:
            assert reply.value != first[0].value, f"{name} has the answer of an earlier call"


@criterion(
    "A word is looked at once for a merge, not once for each time that it occurs",
    points=3,
    kind="efficiency",
    hint="Count the words first, with Counter(text.split()); from then on work with the different words and their "
    "counts only.",
    timeout=6,
)
def test_work_of_learning(student, rng):
    """In a text of a million words, about 35 of them different, 250 merges are learnt in no time."""
    check_sense(student, rng)
    words = sorted({draw_word(rng, "abcdefgh", 2) for _ in range(20)})
    # Two of each of these words: enough for a merge, and far rarer than all others, in the short text, too.
    letters = [chr(number) for number in rng.sample(range(0x100, 0x180), k=120)]
    rare = [" ".join([draw_word(rng, letters, 18, shortest=18)] * 2) for _ in range(15)]
    line, rest = " ".join(words) + " ", " ".join(rare)
    short = student.learn_merges(line * 50 + rest, MERGES)  # whether these are right is another criterion's matter
    assert isinstance(short, list) and len(short) >= 10, f"{MERGES} merges can be learnt, found {show(short)}"
    operator = module_of(student, "operator")  # the long text is made where it is used
    text = operator.add.keep(operator.mul.keep(line, WORDS // len(words)), rest)
    found = student.learn_merges(text, MERGES)
    assert_equal(
        found, short, f"learn_merges(the same words, those of the first line {WORDS // len(words)} times, {MERGES})"
    )
