"""Hidden tests of word_alignment.

Expected values come from `every_alignment`, which knows nothing of the trick that makes the model fast: on tiny
sentences it goes through all (l + 1)^m ways to link the target words. A dict may leave out a pair whose number is 0.

A criterion looks at its own property. Training is right if it is right, or if it is what the student's own steps give
when they are called one after the other (`assert_right`): whether the steps are right is asked by others.
"""

import math
from collections import Counter
from itertools import product

from grader.judge import Mismatch, assert_close, assert_equal, criterion, show

ROUNDING = {"rtol": 1e-5, "atol": 1e-6}
NULL = None
SMALL = (1e-7, 1e-5, 0.01)  # of a table in which nothing is probable
EXACT = (1 / 1024, 1 / 512, 3 / 1024)  # products and sums of these are exact, so that equals are equal
ODD_WORDS = ("NULL", "None", "in", "In", "die", "0")  # words like any other, in both languages
SYLLABLES = ("ba", "do", "ke", "li", "mu", "pra", "sto", "ti")


# Oracles


def every_alignment(source, target, table):
    """Each way to link all target words: (the linked positions, the linked source words, its probability)."""
    words = [*source, NULL]
    for places in product(range(len(words)), repeat=len(target)):
        linked = [words[place] for place in places]
        share = math.prod(table[pair] for pair in zip(target, linked, strict=True))
        yield places, linked, share / len(words) ** len(target)


def true_counts(pairs, table):
    """How often each pair of words is linked, in all alignments together, each with its share."""
    counts = Counter()
    for source, target in pairs:
        ways = list(every_alignment(source, target, table))
        total = sum(share for *_, share in ways)
        for _, linked, share in ways:
            for pair in zip(target, linked, strict=True):
                counts[pair] += share / total
    return dict(counts)


def true_rows(counts):
    """Each number over the sum of all that have the same source word."""
    sums = {word: sum(n for (_, other), n in counts.items() if other == word) for _, word in counts}
    return {(wanted, word): n / sums[word] for (wanted, word), n in counts.items()}


def true_uniform(pairs):
    met = {(f, e) for source, target in pairs for e in (*source, NULL) for f in target}
    return true_rows(dict.fromkeys(met, 1))


def true_training(pairs, iterations):
    table = true_uniform(pairs)
    for _ in range(iterations):
        table = true_rows(true_counts(pairs, table))
    return table


def true_likelihood(pairs, table):
    shares = [sum(share for *_, share in every_alignment(*pair, table)) for pair in pairs]
    return math.log(math.prod(shares))


def true_links(source, target, table):
    """Of the most probable alignments the first, if the lowest position comes first and NULL last."""
    best = max(every_alignment(source, target, table), key=lambda way: way[2])  # the first of equals
    return [place if place < len(source) else None for place in best[0]]


# Questions


def some_words(rng, count):
    """Different words that nobody can guess."""
    found = set()
    while len(found) < count:
        found.add("".join(rng.choices(SYLLABLES, k=3)))
    return sorted(found, key=lambda _: rng.random())


def full_table(rng, sources, targets, *, of=None):
    """A table in which every source word, and NULL, may make every target word; the numbers are from `of`, if given."""
    rows = {}
    for word in (*sources, NULL):
        numbers = [rng.choice(of) if of else rng.uniform(0.1, 1.0) for _ in targets]
        if of:  # as they are; a word that is never asked for takes the rest of the row
            rows |= {(wanted, word): n for wanted, n in zip(targets, numbers, strict=True)}
            rows["...", word] = 1 - sum(numbers)
        else:
            rows |= {(wanted, word): n / sum(numbers) for wanted, n in zip(targets, numbers, strict=True)}
    return rows


def drawn_pairs(rng, sources, targets, lengths, *, twice=False):
    """Sentence pairs of these lengths; a word comes back in other pairs, and only if `twice` in its own sentence."""
    draw = rng.choices if twice else rng.sample
    return [(draw(sources, k=few), draw(targets, k=many)) for few, many in lengths]


def two_languages(rng):
    """Words of two languages: such as nobody can guess, and such as are easily taken for something else."""
    odd = rng.sample(ODD_WORDS, k=5)
    return (some_words(rng, 4), some_words(rng, 5)), (odd[:4], odd)


# Comparisons


def number(found):
    """A number, whatever kind of number it is."""
    return found.item() if hasattr(found, "item") else found


def plain(table, what):
    assert isinstance(table, dict), f"{what} must be a dict, not {show(table)}"
    return {key: number(value) for key, value in table.items()}


def same_table(found, expected, what, **tolerance):
    """Both have the same numbers; a pair that one of them leaves out has 0 there."""
    found = plain(found, what)
    asked = {key: found.get(key, 0) for key in expected}
    more = {key: value for key, value in found.items() if key not in expected and value != 0}
    assert_close(asked | more, expected, what, **ROUNDING | tolerance)


def same_number(found, expected, what):
    assert_close(number(found), expected, what, **ROUNDING)


def assert_right(compare, found, expected, own, what):
    """It is right, or what the student's `own()` answers to plainer questions: then another criterion says so."""
    try:
        compare(found, expected, what)
    except Mismatch as wrong:
        try:
            compare(found, own(), what)
        except Mismatch:
            raise wrong from None


def check_learning(student, rng):
    """Training learns something: of two pairs with one word in common, what is not common belongs together."""
    a, b, c, x, y, z = some_words(rng, 6)
    table = plain(student.train([([a, b], [x, y]), ([c, a], [z, x])], 3), "train of two pairs")
    for better, worse in (((x, a), (y, a)), ((x, a), (z, a)), ((y, b), (y, a)), ((z, c), (z, a))):
        for key in (better, worse):
            assert isinstance(table.get(key), int | float), f"train must give {key} a number"
        assert table[better] > table[worse], f"train must give {better} more than {worse}"


# Criteria


@criterion(
    "Which words have met",
    points=2,
    kind="value",
    hint="How often two words meet makes no difference here, only whether they do; and a word is known by its letters.",
)
def test_uniform_of_any_corpus(student, rng):
    """Every different target word that a source word meets has the same share, however often they meet."""
    a, b, c, x, y, z = some_words(rng, 6)
    corpora = [
        [([a, b, a], [x, x, y]), ([b, c], [z, x])],
        [([a, b], [x, y, z]), ([a, b], [x, y, z]), ([c, a], [y]), ([b], [b, a])],
        [(list(ODD_WORDS[:4]), [x, *ODD_WORDS[2:]]), (["die", a], ["None", "die"]), ([a], ["NULL"])],
    ]
    sources, targets = some_words(rng, 5), some_words(rng, 7)
    corpora.append(drawn_pairs(rng, sources, targets, ((2, 5), (4, 3), (3, 4)), twice=True))
    for pairs in corpora:
        same_table(student.uniform_table(pairs), true_uniform(pairs), f"uniform_table({pairs})")


@criterion(
    "All alignments, each with its share",
    points=3,
    kind="value",
    hint="Write down all alignments of two words with one word and NULL, and count in how many of them each link is. "
    "Counts of several sentences add up.",
)
def test_counts_of_all_alignments(student, rng):
    """A soft count is the number of links in all alignments of all pairs, each weighed by its share of its pair."""
    strange, odd = two_languages(rng)
    for (sources, targets), numbers in ((strange, None), (odd, None), (strange, SMALL)):
        table = full_table(rng, sources, targets, of=numbers)
        pairs = drawn_pairs(rng, sources, targets, ((2, 4), (3, 2), (1, 3), (4, 1)))
        pairs.append((list(pairs[0][0]), list(pairs[0][1])))  # the same sentences once more count once more
        same_table(student.expected_counts(pairs, table), true_counts(pairs, table), f"expected_counts({pairs}, table)")


@criterion(
    "A word that stands twice",
    points=2,
    kind="value",
    hint="A target word that stands twice was made twice, each time anew. A source word that stands twice offers "
    "itself twice.",
)
def test_repeated_words(student, rng):
    """A word that stands twice in its sentence counts at both places, in the source and in the target."""
    sources, targets = some_words(rng, 3), some_words(rng, 3)
    table = full_table(rng, sources, targets)
    (a, b, _), (x, y, _) = sources, targets
    for pair in (([a, b], [x, y, x]), ([a, b, a], [x, y]), ([a, a, a], [y]), ([b], [y, y, y]), ([b, a, b], [x, x])):
        what = f"{pair}, with a table of {show(table)}"
        same_table(student.expected_counts([pair], table), true_counts([pair], table), f"the counts of {what}")
        same_number(student.log_likelihood([pair], table), true_likelihood([pair], table), f"the likelihood of {what}")


@criterion(
    "Rows in any order",
    points=2,
    kind="value",
    hint="Numbers of one source word may stand anywhere in the dict, and those of NULL are a row like any other.",
)
def test_rows_in_any_order(student, rng):
    """Whatever the counts are and wherever they stand, each is divided by the sum of its own source word."""
    for sources, targets in ((some_words(rng, 4), some_words(rng, 5)), (ODD_WORDS, ODD_WORDS)):
        keys = [(f, e) for e in (*sources, NULL) for f in targets]
        keys = [*rng.sample(keys, k=len(keys) - 3), ("only", "one")]
        rng.shuffle(keys)
        size = {e: 10.0 ** rng.choice((-9, -6, 0, 3)) for _, e in keys} | {sources[0]: 1e-10}  # a row may be small
        for counts in (
            {key: rng.uniform(0.01, 5.0) for key in keys},
            {key: rng.randint(1, 9) for key in keys},
            {(f, e): size[e] * rng.uniform(0.1, 1.0) for f, e in keys},
        ):
            same_table(student.normalise(counts), true_rows(counts), f"normalise({show(counts)})", atol=1e-12)


@criterion(
    "The sum over all alignments",
    points=3,
    kind="value",
    hint="All (l + 1)^m alignments of a pair are equally likely beforehand. Several pairs: their logarithms are added.",
)
def test_likelihood_of_all_alignments(student, rng):
    """The likelihood of a pair sums all its alignments, and that of a corpus multiplies its pairs."""
    strange, odd = two_languages(rng)
    for (sources, targets), numbers in ((strange, None), (odd, None), (strange, SMALL)):
        table = full_table(rng, sources, targets, of=numbers)
        pairs = drawn_pairs(rng, sources, targets, ((2, 4), (3, 2), (1, 3), (4, 1)))
        for asked in (pairs[:1], pairs[1:], [*pairs, pairs[0]]):
            what = f"log_likelihood({asked}, table)"
            same_number(student.log_likelihood(asked, table), true_likelihood(asked, table), what)


@criterion(
    "Long sentences",
    points=2,
    kind="efficiency",
    hint="No link depends on another: (l + 1) · m numbers are enough, not (l + 1)^m. And add logarithms, because a "
    "product of hundreds of probabilities is 0.",
    timeout=3,
)
def test_long_sentences(student, rng):
    """Long sentences cost no more than their words together, and their likelihood is no logarithm of 0."""
    sources, targets = some_words(rng, 13), some_words(rng, 47)
    table, other = (full_table(rng, sources, targets) for _ in range(2))
    source, few, many = sources[:11], rng.sample(targets, k=29), rng.choices(targets, k=500)
    found = plain(student.expected_counts([(source, few)], table), "expected_counts of a long pair")
    assert all(isinstance(n, int | float) for n in found.values()), "counts are numbers"

    def added():
        counts = Counter()
        for wanted in few:
            counts.update(plain(student.expected_counts([(source, [wanted])], table), "expected_counts"))
        return dict(counts)

    expected = Counter()
    for wanted in few:
        row = {word: table[wanted, word] for word in (*source, NULL)}
        expected.update({(wanted, word): n / sum(row.values()) for word, n in row.items()})
    assert_right(same_table, found, dict(expected), added, "expected_counts of 11 source and 29 target words")
    assert len(set(found.values())) > 29, "the counts of a long pair are all alike"
    assert found != plain(student.expected_counts([(source, few)], other), "counts"), "the table makes no difference"

    found = number(student.log_likelihood([(source, many)], table))
    assert isinstance(found, int | float) and math.isfinite(found), f"a likelihood is a number, not {show(found)}"
    assert found < -500, "500 words cannot be as probable as that"
    assert found != number(student.log_likelihood([(source, many)], other)), "the table makes no difference"
    shares = [sum(table[wanted, word] for word in (*source, NULL)) / 12 for wanted in many]
    what = "log_likelihood of 11 source and 500 target words"

    def summed():
        times = Counter(many)
        return sum(n * number(student.log_likelihood([(source, [wanted])], table)) for wanted, n in times.items())

    assert_right(same_number, found, math.fsum(map(math.log, shares)), summed, what)


@criterion(
    "As many rounds as asked for",
    points=3,
    kind="value",
    hint="Each round begins with new counts and the last table, and nothing ends the rounds early. After no round at "
    "all the table is the uniform one.",
)
def test_rounds(student, rng):
    """Training goes exactly as many rounds of EM as the caller says, from the uniform table, for any pairs."""
    check_learning(student, rng)
    a, b, c, x, y, z = some_words(rng, 6)
    for pairs, rounds in (
        ([([a, b], [x, y]), ([c, a], [z, x, x]), ([b, c], [z])], (0, 1, 4)),
        ([([a, b], [x, y]), ([a, b, c], [x, y, z]), ([c, b], [y, x])], (60,)),  # slow, and then slower
        ([([c, a, b], [x]), ([c], [z, x]), ([b], [x, z])], (2, 60)),  # still on its way after 60 rounds
        ([(["in", a, "None"], [x, "in"]), ([a, a], [y, x]), (["None"], [y])], (3, 9)),
    ):
        for iterations in rounds:

            def own(pairs=pairs, iterations=iterations):
                table = student.uniform_table(pairs)
                for _ in range(iterations):
                    table = student.normalise(student.expected_counts(pairs, table))
                return plain(table, "a table")

            expected = true_training(pairs, iterations)
            assert_right(same_table, student.train(pairs, iterations), expected, own, f"train({pairs}, {iterations})")


@criterion(
    "The best of all alignments",
    points=3,
    kind="value",
    hint="Of equal numbers the lowest position wins, and NULL only if nothing else is as good. Two target words may "
    "have the same partner.",
)
def test_best_alignment(student, rng):
    """No alignment is more probable; of equals the lowest position is taken, and NULL last."""
    for sources, targets in two_languages(rng):
        lengths = ((3, 4), (4, 3), (2, 5), (1, 4))
        plain_pairs = drawn_pairs(rng, sources, targets, lengths)
        twice = drawn_pairs(rng, sources, targets, lengths, twice=True)
        for table in (full_table(rng, sources, targets), full_table(rng, sources, targets, of=EXACT)):
            for source, target in (*plain_pairs, *twice):
                what = f"align({source}, {target}, {show(table)})"
                assert_equal(student.align(source, target, table), true_links(source, target, table), what)


@criterion(
    "Hardly anything there",
    points=2,
    kind="robustness",
    hint="NULL is there even where no source word is. Where no target word is, there is nothing to explain.",
)
def test_hardly_anything(student, rng):
    """Sentences without words, a corpus without sentences and single words have their natural answers."""
    a, b, x, y, z = some_words(rng, 5)
    alone, silent = ([], [x, y]), ([a, b], [])
    table = {(x, NULL): 0.5, (y, NULL): 0.25, (z, NULL): 0.25, (x, a): 0.7, (z, a): 0.3, (y, b): 1.0}
    for pairs, expected in (
        ([alone], {(x, NULL): 0.5, (y, NULL): 0.5}),
        ([alone, ([a], [z])], {(x, NULL): 1 / 3, (y, NULL): 1 / 3, (z, NULL): 1 / 3, (z, a): 1}),
        ([silent, ([a], [x])], {(x, NULL): 1, (x, a): 1}),
        ([], {}),
    ):
        same_table(student.uniform_table(pairs), expected, f"uniform_table({pairs})")
        same_table(student.train(pairs, 0), expected, f"train({pairs}, 0)")
    same_table(student.train([silent, alone], 2), {(x, NULL): 0.5, (y, NULL): 0.5}, f"train({[silent, alone]}, 2)")
    same_table(student.expected_counts([alone, silent], table), {(x, NULL): 1, (y, NULL): 1}, "the counts")
    same_table(student.expected_counts([], table), {}, "the counts of no pairs")
    same_table(student.normalise({}), {}, "normalise({})")
    same_table(student.normalise({(x, NULL): 0.2}), {(x, NULL): 1}, "normalise of one count")
    for pairs, share in (([alone], 0.5 * 0.25), ([silent], 1.0), ([], 1.0)):
        same_number(student.log_likelihood(pairs, table), math.log(share), f"log_likelihood({pairs}, {table})")
    assert_equal(student.align([], [x, y, z], table), [None, None, None], f"align([], {[x, y, z]}, table)")
    assert_equal(student.align([a, b], [], table), [], f"align({[a, b]}, [], table)")
    assert_equal(student.align([a], [x], table), [0], f"align({[a]}, {[x]}, {table})")


@criterion(
    "A call leaves no trace",
    points=2,
    kind="robustness",
    hint="NULL belongs to your own copy of a sentence, a new table is a new dict, and no call keeps anything for the "
    "next one.",
)
def test_no_trace(student, rng):
    """The arguments are unchanged after a call, and no answer depends on the calls before it."""
    sources, targets = some_words(rng, 4), some_words(rng, 5)
    table, other = (full_table(rng, sources, targets) for _ in range(2))
    pairs = drawn_pairs(rng, sources, targets, ((2, 3), (3, 4)))
    more = drawn_pairs(rng, sources, targets, ((3, 3), (2, 4)))
    (source, target), (second, third) = pairs[0], more[1]
    for function, kind, asked, between in (
        (student.uniform_table, dict, (pairs,), (more,)),
        (student.expected_counts, dict, (pairs, table), (pairs, other)),
        (student.expected_counts, dict, (pairs, table), (more, table)),
        (student.normalise, dict, (table | {(targets[0], NULL): 3.5},), (other,)),
        (student.log_likelihood, float, (pairs, table), (more, other)),
        (student.train, dict, (pairs, 2), (more, 2)),
        (student.align, list, (source, target, table), (second, third, other)),
    ):
        first = function.observe(*asked)
        assert_equal(list(first.args), list(asked), "the arguments after the call")
        answers = [first.value, function(*between), function(*asked)]
        if kind is dict:
            answers = [plain(answer, "the result") for answer in answers]
            assert answers[0] != answers[1], "another question has the same answer"
        elif kind is float:
            answers = [number(answer) for answer in answers]
            assert all(isinstance(answer, int | float) for answer in answers), "a likelihood must be a number"
            assert answers[0] != answers[1], "other pairs and another table have the same likelihood"
        else:
            assert isinstance(answers[0], list), f"links must be a list, not {show(answers[0])}"
            assert all(link is None or isinstance(link, int) for link in answers[0]), "a link is a position or None"
        assert_close(answers[2], answers[0], "the answer to the same question, asked again", **ROUNDING)
