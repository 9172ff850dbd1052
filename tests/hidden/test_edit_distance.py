"""Hidden tests of edit_distance.

Expected values come from `cheapest`, which knows nothing of tables: it tries every way to pair items in order. Where
costs are fractions, sums may be rounded in any order: they are compared within `ROUNDING`, far below any cost and far
above what is rounded, or they are sums of powers of two, which are exact in any order. Nearly every criterion asks two
questions of equal lengths and costs, so that neither the lengths nor an earlier answer are enough.
"""

from itertools import combinations
from string import ascii_letters

from hypothesis import example, given
from hypothesis import strategies as st

from grader.judge import assert_close, assert_equal, criterion, show, student_raises

# Which items a step uses up: (one of the source, one of the target).
USES = {"keep": (True, True), "substitute": (True, True), "insert": (False, True), "delete": (True, False)}
BYTES_PER_ITEM = 12  # one copy of the longer sequence has 8; two rows along it at least 16, in a list 64
ROUNDING = {"rtol": 1e-9, "atol": 1e-9}


def cheapest(source, target, *, insert=1, delete=1, substitute=1):
    """The least cost over all ways to pair items in order, where items without a partner come in or go away."""
    costs = []
    for pairs in range(min(len(source), len(target)) + 1):
        alone = (len(source) - pairs) * delete + (len(target) - pairs) * insert
        for left in combinations(source, pairs):
            for right in combinations(target, pairs):
                changed = sum(old != new for old, new in zip(left, right, strict=True))
                costs.append(alone + changed * substitute)
    return min(costs)


def check_table(student, source, target, **costs):
    """Every cell of the student's table is the cost of the cheapest way between two prefixes."""
    columns, rows = range(len(target) + 1), range(len(source) + 1)
    expected = [[cheapest(source[:i], target[:j], **costs) for j in columns] for i in rows]
    found = student.edit_table(source, target, **costs)
    assert_close(found, expected, f"edit_table({source!r}, {target!r}, **{costs})", **ROUNDING)


def check_alignment(student, source, target, *, expected=None, **costs):
    """The student's steps turn the source into the target, and cost what the cheapest way costs."""
    what = f"alignment({source!r}, {target!r}, **{costs})"
    steps = student.alignment(source, target, **costs)
    assert isinstance(steps, list), f"{what} is no list: {show(steps)}"
    prices = {"keep": 0, "insert": 1, "delete": 1, "substitute": 1} | costs
    i = j = cost = 0
    for step in steps:
        assert isinstance(step, tuple | list) and len(step) == 3, f"{what}: {show(step)} is no triple"
        name, old, new = step
        assert isinstance(name, str) and name in USES, f"{what}: {show(name)} is none of {', '.join(USES)}"
        takes, gives = USES[name]
        assert i + takes <= len(source) and j + gives <= len(target), f"{what}: {show(step)} comes after the end"
        assert_equal(old, source[i] if takes else None, f"{what}: the item of the source in {show(step)}")
        assert_equal(new, target[j] if gives else None, f"{what}: the item of the target in {show(step)}")
        assert name != "keep" or old == new, f"{what}: {show(step)} keeps an item that differs"
        i, j, cost = i + takes, j + gives, cost + prices[name]
    assert (i, j) == (len(source), len(target)), f"{what} ends too early"
    expected = cheapest(source, target, **costs) if expected is None else expected
    assert_close(cost, expected, f"the cost of {what}", **ROUNDING)


def word(rng, length, letters="abc"):
    """A random word in which no letter is missing, if the length allows that."""
    every = [*letters, *rng.choices(letters, k=length)][: max(length, len(letters))]
    return "".join(rng.sample(every, k=length))


def three_costs(rng, *, dear):
    """Unequal whole costs; a dear substitution costs more than a deletion and an insertion, others cost less."""
    insert, delete = rng.choice([(1, 4), (5, 2), (2, 5), (4, 1)])
    return {"insert": insert, "delete": delete, "substitute": insert + delete + 1 if dear else 3}


def hidden_in(rng, short, length):
    """A string of that length over "xyz" in which the items of `short` occur in order, among others."""
    places = sorted(rng.sample(range(length), len(short)))
    items = rng.choices("xyz", k=length)
    for place, item in zip(places, short, strict=True):
        items[place] = item
    return "".join(items)


def rotated(rng, *, insert, delete, length=30, turn=12):
    """Different items, the same with the first of them moved to the end, and their table if no substitution pays.

    What two prefixes have in common is either before the turn or after it, so the cheapest way leaves the diagonal.
    """
    source = "".join(rng.sample(ascii_letters, k=length))
    target = source[turn:] + source[:turn]
    table = []
    for i in range(length + 1):
        kept = [max(0, min(i - turn, j, length - turn), min(i, j - (length - turn))) for j in range(length + 1)]
        table.append([(i - common) * delete + (j - common) * insert for j, common in enumerate(kept)])
    return source, target, table


@criterion(
    "As cheap as any way there is",
    points=3,
    kind="value",
    hint="Take two words of two letters and unequal costs, and write down every way from one to the other.",
)
@given(st.text("abc", max_size=4), st.text("abc", max_size=4), *[st.integers(0, 4)] * 3)
@example("", "", 2, 3, 4)
@example("", "abc", 2, 3, 1)
@example("abc", "", 2, 3, 1)
@example("ab", "ba", 2, 2, 3)
@example("ab", "cc", 2, 2, 3)
@example("aba", "abba", 1, 1, 1)
@example("aa", "aaa", 2, 3, 1)
@example("abc", "cab", 1, 2, 4)
@example("bca", "abcb", 2, 1, 4)
@example("abb", "bca", 4, 1, 3)
@example("ca", "abcc", 1, 4, 3)
@example("abac", "ca", 1, 4, 3)
@example("bcaa", "bba", 3, 3, 1)
def test_brute_force(student, source, target, insert, delete, substitute):
    """For short words and any costs, no way from the source to the target is cheaper than the distance."""
    costs = {"insert": insert, "delete": delete, "substitute": substitute}
    found = student.edit_distance(source, target, **costs)
    assert_equal(found, cheapest(source, target, **costs), f"edit_distance({source!r}, {target!r}, **{costs})")


@criterion(
    "Every cell is a distance of its own",
    points=3,
    kind="value",
    hint="Cell [i][j] belongs to the first i items of the source and the first j of the target, border included.",
)
def test_table_cells(student, rng):
    """Each cell of the table is the distance between two prefixes, whichever sequence is the longer one."""
    for rows, columns, dear in ((3, 5, False), (6, 2, False), (4, 3, True)):
        source, target, costs = word(rng, rows), word(rng, columns), three_costs(rng, dear=dear)
        check_table(student, source, target, **costs)
    check_table(student, "?" * len(source), target, **costs)  # as long, and nothing in common
    source, target, expected = rotated(rng, insert=3, delete=2)
    found = student.edit_table(source, target, insert=3, delete=2, substitute=9)
    assert_equal(found, expected, f"edit_table({source!r}, {target!r}, insert=3, delete=2, substitute=9)")


@criterion(
    "Half a cost, and none",
    points=2,
    kind="value",
    hint="A cost is any number from 0 upwards: neither round it nor take 0 for an error.",
)
def test_fractional_and_free(student, rng):
    """Costs may be fractions or zero, and the table and the distance follow them."""
    for costs in (
        {"insert": 0.5, "delete": 1.75, "substitute": 1.25},
        {"insert": 2.5, "delete": 0.25, "substitute": 0.75},
        {"insert": 0, "delete": 3, "substitute": 2},
        {"insert": 3, "delete": 0, "substitute": 2},
        {"insert": 2, "delete": 2, "substitute": 0},
        {"insert": 0.1, "delete": 0.7, "substitute": 0.3},
        {"insert": 0.3, "delete": 0.1, "substitute": 0.7},
    ):
        for source, target in (("ab", "cde"), ("abc", "dc"), (word(rng, 3), word(rng, 4))):
            expected = cheapest(source, target, **costs)
            found = student.edit_distance(source, target, **costs)
            assert_close(found, expected, f"edit_distance({source!r}, {target!r}, **{costs})", **ROUNDING)
        check_table(student, "ab", "bcd", **costs)
    for costs in ({"insert": 0.1, "delete": 0.3, "substitute": 0.7}, {"insert": 0.7, "delete": 0.1, "substitute": 0.3}):
        for source, target in (
            ("abcdefgh", "h"),
            ("x", "abcdefgx"),
            ("abcdefgh", "x"),
            ("abcdefgh", "cfh"),
            (word(rng, 4), word(rng, 5)),
        ):
            check_alignment(student, source, target, **costs)
    for costs in (  # fractions that a float holds exactly, and whole numbers beyond 32 bits
        {"insert": 1 / 1024, "delete": 3 / 1024, "substitute": 1 / 512},
        {"insert": 400_000, "delete": 700_001, "substitute": 900_000},
        {"insert": 2**31 + 1, "delete": 2**33 + 1, "substitute": 2**34},
    ):
        for source, target in (("abcdefgh", "x"), ("x", "abcdefgh"), ("abcab", "cxba"), ("abcdefgh", "c")):
            found = student.edit_distance(source, target, **costs)
            assert_equal(found, cheapest(source, target, **costs), f"edit_distance({source!r}, {target!r}, **{costs})")
            check_table(student, source, target, **costs)
            check_alignment(student, source, target, **costs)


@criterion(
    "Items are what they are",
    points=3,
    kind="robustness",
    hint="Ask of two items only whether they are equal; never join, split, strip or fold them.",
)
def test_any_tokens(student, rng):
    """Sequences are strings or lists of anything hashable, and two items are the same only if they are equal."""
    big = rng.randrange(10**6, 10**7)
    for source, target in (
        (["ab", "c"], ["a", "bc"]),
        (["aa", "b"], "aab"),
        ("abd", ["a", "b", "c", "d"]),
        ([1, 2, 12], ["1", "2", "12"]),
        ([0, None, "", ()], [None, 0, (), ""]),
        ([None, "a", None], [None, "b", None]),  # None is an item, and equal to None
        ([("a", 1), ("b", 2), 2.5], [("a", 1), 2.5, ("b", 1)]),
        ([1, True, 2.0, 0], [1.0, 1, 2, False]),
        ([("a",)], ["a"]),
        ([()], ["a"]),
        ([("a", 1)], [("a", 1, 2)]),
        ([big, int(str(big)), 300], [int(str(big)), big + 1, int("300"), big]),
        ([-1, -2, 3], [1, -2, -3, 3]),
        ([-1, 0], [-2, 2**61 - 1]),  # not equal, though Python's hash says the same of them
        ("Hello", "hELLo"),
        ("  a b ", "ab"),
        ("naïve", "naive"),
        ("caf\u00e9", "cafe\u0301"),
    ):
        what = f"edit_distance({source!r}, {target!r})"
        assert_equal(student.edit_distance(source, target), cheapest(source, target), what)
    names = rng.sample(["do", "re", 7, ("fa", 3), None, "d", "o"], k=4)
    source, target = rng.choices(names, k=5), rng.choices(names, k=4)
    check_table(student, source, target)
    check_table(student, [1, "1", ("a",), -1], [True, 1.0, "a", -2])
    check_table(student, [None, "a", None], [None, "b", None])


@criterion(
    "Memory of the shorter one",
    points=3,
    kind="efficiency",
    hint="A row needs only the row above it; lay the rows along the shorter sequence, whichever that is.",
    timeout=30,
)
def test_memory(student, rng):
    """However long the longer sequence is, memory follows the shorter one, be that the source or the target."""
    short, length = "".join(rng.sample("abcdef", k=3)), 100_000  # so long that no hole in a worker's memory hides rows
    long = hidden_in(rng, short, length)
    costs = {"insert": 1.0, "delete": 1.0, "substitute": 1.0}  # what holds a row must hold fractions
    student.edit_distance(short, short[::-1])  # what is imported at the first call does not count
    near, far = short[:2] + "?", "?" + short[1] + "?"  # one item is substituted, two are: lengths do not give this
    for source, target, distance, again in (
        (near, long, length - 2, (far, long, length - 1)),
        (long, far, length - 1, (long, near, length - 2)),
    ):
        reply = student.edit_distance.measure(source, target, **costs)
        what = f"edit_distance of {len(source)} and {len(target)} items"
        assert_close(reply.value, distance, what, **ROUNDING)
        allowed = length * BYTES_PER_ITEM + 100_000
        assert reply.peak_bytes <= allowed, f"{what} takes {reply.peak_bytes:,} bytes; {allowed:,} are plenty"
        source, target, distance = again  # as long as the first two, and another distance
        assert_close(student.edit_distance(source, target, **costs), distance, what, **ROUNDING)


@criterion(
    "Long against short, in both directions",
    points=2,
    kind="efficiency",
    hint="Python allows about 1,000 calls within each other; and whoever exchanges the sequences exchanges more.",
    timeout=5,
)
def test_long_inputs(student, rng):
    """More than 1,000 items against a few are no trouble, unequal costs keep their places, and long detours pay."""
    costs = {"insert": 3, "delete": 2, "substitute": 4}
    short = word(rng, 6, "abcdef")
    long = hidden_in(rng, short, 1206)
    strange = "?" + short[1:3] + "?" + short[4:]  # no "?" in the long one: two substitutions
    for source, target, distance in (
        (short, long, 1200 * 3),
        (long, short, 1200 * 2),
        (strange, long, 1200 * 3 + 2 * 4),
        (list(long), list(strange), 1200 * 2 + 2 * 4),
    ):
        found = student.edit_distance(source, target, **costs)
        assert_equal(found, distance, f"edit_distance of {len(source)} and {len(target)} items, **{costs}")
    source, target, table = rotated(rng, insert=3, delete=2, length=50, turn=20)
    found = student.edit_distance(source, target, insert=3, delete=2, substitute=9)
    assert_equal(found, table[-1][-1], f"edit_distance({source!r}, {target!r}, insert=3, delete=2, substitute=9)")


@criterion(
    "The alignment follows the costs",
    points=3,
    kind="value",
    hint="A neighbour is where a cell came from only if its number plus the cost of that step gives the cell's number.",
)
def test_alignment_costs(student, rng):
    """With any costs, the steps of the alignment cost exactly the distance together."""
    check_alignment(student, "ab", "cba")
    check_alignment(student, "abc", "bca")
    check_alignment(student, "acb", "bac")
    check_alignment(student, "abc", "xbyc", insert=3, delete=1, substitute=7)
    check_alignment(student, "abcd", "bx", insert=1, delete=2, substitute=8)
    check_alignment(student, "aab", "abb", insert=1, delete=4, substitute=3)
    check_alignment(student, "abca", "cab", insert=1.5, delete=0.5, substitute=1.75)
    check_alignment(student, "abcd", "axc", insert=2.5, delete=1.5, substitute=0.75)
    check_alignment(student, word(rng, 6), word(rng, 5), **three_costs(rng, dear=True))
    check_alignment(student, word(rng, 4), word(rng, 7), **three_costs(rng, dear=False))
    check_alignment(student, word(rng, 6, "abcdef"), word(rng, 5, "defgh"), insert=2, delete=2, substitute=1)
    source, target, table = rotated(rng, insert=3, delete=2)
    check_alignment(student, source, target, expected=table[-1][-1], insert=3, delete=2, substitute=9)


@criterion(
    "An alignment of anything",
    points=2,
    kind="robustness",
    hint="One sequence is often used up before the other; and whether items are kept is for the items to say.",
)
def test_alignment_of_anything(student, rng):
    """Alignments work for any items, for empty sequences and for free operations; only equal items are kept."""
    for source, target in (("", "ab"), ("", "cd"), ([3, 1, 2], []), ([], "")):
        check_alignment(student, source, target)
    check_alignment(student, ["ab", 0, None, ("c", 1)], [0, ("c", 1), "", None, "a"])
    check_alignment(student, "Abc ", ["a", "b", "c"])
    check_alignment(student, [1, "1", 0, ("a",)], ["1", 1.0, False, "a"])
    check_alignment(student, "abcb", "xbyc", substitute=0)
    check_alignment(student, "abc", "dbca", insert=0, substitute=2)
    check_alignment(student, "abca", "db", delete=0, substitute=2)
    names = rng.sample(range(1000, 9999), k=3)
    check_alignment(student, rng.choices(names, k=5), rng.choices(names, k=6))


@criterion(
    "A rate per word of the reference",
    points=3,
    kind="value",
    hint="Count edits of whole words over the whole text, and divide once, by the words that should have been said.",
)
def test_word_error_values(student, rng):
    """The rate counts words as split() finds them, and only the length of the reference divides it."""
    said, heard = rng.choices(["so", "la", "ti", "do"], k=6), rng.choices(["so", "la", "ti", "no"], k=4)
    for reference, hypothesis, rate in (
        ("a b c d", "b d", 2 / 4),
        ("a b", "x a y b z", 3 / 2),
        ("play it again", "play them again", 1 / 3),
        ("play them", "play them again", 1 / 2),
        ("b c", "c b", 2 / 2),
        ("b c", "b d", 1 / 2),
        ("one two three four\nfive", "one two three\nsix", 2 / 5),
        ("The cat, he said.", "the cat he said", 3 / 4),
        ("well-known! right?", "well known right", 3 / 2),
        ("so\r\nla ti", "so la\x0bti", 0.0),
        ("  to  be\tor\n\nnot ", "to be or not", 0.0),
        ("to be", "  to   be or", 1 / 2),
        (" ".join(said), " ".join(heard), cheapest(said, heard) / 6),
        (" ".join(heard), " ".join(said), cheapest(said, heard) / 4),
    ):
        found = student.word_error_rate(reference, hypothesis)
        assert_close(found, rate, f"word_error_rate({reference!r}, {hypothesis!r})", **ROUNDING)


@criterion(
    "Nothing was said",
    points=2,
    kind="robustness",
    hint="Without a word in the reference there is nothing to divide by: which one of the two cases has an answer?",
)
def test_empty_reference(student):
    """Without words in the reference the rate is 0 if the hypothesis has none either, and else a ValueError."""
    for reference, hypothesis in (("", ""), (" \n", ""), ("", "\t ")):
        found = student.word_error_rate(reference, hypothesis)
        assert_equal(found, 0.0, f"word_error_rate({reference!r}, {hypothesis!r})")
    assert_equal(student.word_error_rate("two words", " "), 1.0, "word_error_rate('two words', ' ')")
    for reference, hypothesis in (("", "word"), (" \t", "two words")):
        with student_raises("ValueError"):  # the contract asks for no particular word
            student.word_error_rate(reference, hypothesis)


@criterion(
    "Negative costs are refused everywhere",
    points=2,
    kind="robustness",
    hint="The table and the alignment take the same three costs as the distance, and must look at them as well.",
)
def test_negative_costs_everywhere(student):
    """A negative cost, however small, raises a ValueError that names it, in the table and the alignment too."""
    for source, target, table in (
        ("a", "a", [[0, 1], [1, 0]]),
        ("a", "b", [[0, 1], [1, 1]]),
        ("ab", "ab", [[0, 1, 2], [1, 0, 1], [2, 1, 0]]),
    ):
        assert_equal(student.edit_table(source, target), table, f"edit_table({source!r}, {target!r})")
    for item in "ab":
        assert_equal(student.alignment(item, item), [("keep", item, item)], f"alignment({item!r}, {item!r})")
    for function in (student.edit_table, student.edit_distance, student.alignment):
        for name in ("insert", "delete", "substitute"):
            for cost in (-1, -0.5, -1e-9):
                with student_raises("ValueError", naming=name):
                    function("tale", "late", **{name: cost})
            for source, target in (("", ""), ("ab", ""), ("", "ab"), ("ab", "ab")):  # even where no cost is needed
                with student_raises("ValueError", naming=name):
                    function(source, target, **{name: -1})


@criterion(
    "A call leaves no trace",
    points=2,
    kind="robustness",
    hint="Work on your own lists, and keep nothing from one call to the next that depends on more than you look up.",
)
def test_no_trace(student):
    """The arguments are unchanged after a call, and a call does not depend on the calls before it."""
    source, target = ["a", "b", "c"], ["a", "c", "d", "d"]
    distance = student.edit_distance.observe(source, target)
    assert_equal(distance.value, 3, f"edit_distance({source!r}, {target!r})")
    replies = (distance, student.edit_table.observe(source, target), student.alignment.observe(source, target))
    for reply in replies:
        assert_equal(list(reply.args), [source, target], "the arguments after the call")
    source, target = ["a", "b", "c", "z"], ["a", "d", "z"]  # both begin and end alike
    for function in (student.edit_distance, student.edit_table, student.alignment):
        for pair in ([source, target], [target, source]):
            assert_equal(list(function.observe(*pair).args), pair, "the arguments after the call")
    prices = [{"insert": price, "delete": price, "substitute": price} for price in (1, 3, 2, 1)]
    for costs in (*prices, {"delete": 5}, {"insert": 5}, {"substitute": 5}, {}):
        for source, target in (("abc", "bd"), ("bcd", "ab")):
            what = f"edit_distance({source!r}, {target!r}, **{costs})"
            assert_equal(student.edit_distance(source, target, **costs), cheapest(source, target, **costs), what)
            check_table(student, source, target, **costs)
            check_alignment(student, source, target, **costs)
