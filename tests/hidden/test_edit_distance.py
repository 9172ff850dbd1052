"""Hidden tests of edit_distance.

Expected values come from `cheapest`, which knows nothing of tables: it tries every way to pair items in order. Where
costs are fractions, sums may be rounded in any order: they are compared within `ROUNDING`, far below any cost and far
above what is rounded, or they are sums of powers of two, which are exact in any order. Nearly every criterion asks two
questions of equal lengths and costs, so that neither the lengths nor an earlier answer are enough.

A criterion looks at its own property. Whether distances and tables are right is asked by `brute_force` and
`table_cells`. Others are content if a wrong answer equals the student's own answer to a plainer question
(`assert_right`), and `check_order` makes sure that anything is computed at all.
"""

from itertools import combinations
from string import ascii_letters

from hypothesis import example, given
from hypothesis import strategies as st

from grader.judge import Mismatch, assert_close, assert_equal, criterion, show, student_raises

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


def check_order(student):
    """A word with one wrong letter is much nearer than one without a common letter, though it is as long."""
    for source, near, far in (("abcde", "abcdx", "vwxyz"), ("vwxyz", "awxyz", "abcde")):
        gap = number(student.edit_distance(source, far)) - number(student.edit_distance(source, near))
        assert gap >= 3, f"edit_distance({source!r}, {near!r}) is not far below edit_distance({source!r}, {far!r})"


def number(found):
    assert isinstance(found, int | float), f"a distance is a number, not {show(found)}"
    return found


def assert_right(found, expected, own, what, **tolerance):
    """It is right, or wrong as the student's `own()` answer to a plainer question: then another criterion says so."""
    tolerance = ROUNDING | tolerance
    try:
        assert_close(found, expected, what, **tolerance)
    except Mismatch as wrong:
        try:
            assert_close(found, own(), what, **tolerance)
        except Mismatch:
            raise wrong from None


def renamed(source, target, letters=ascii_letters):
    """Both with a letter in the place of each item, equal letters for equal items."""
    known = []
    for item in (*source, *target):
        if item not in known:
            known.append(item)
    return ["".join(letters[known.index(item)] for item in items) for items in (source, target)]


def true_table(source, target, **costs):
    """Every cell is the cost of the cheapest way between two prefixes."""
    columns, rows = range(len(target) + 1), range(len(source) + 1)
    return [[cheapest(source[:i], target[:j], **costs) for j in columns] for i in rows]


def check_table(student, source, target, **costs):
    what = f"edit_table({source!r}, {target!r}, **{costs})"
    assert_close(student.edit_table(source, target, **costs), true_table(source, target, **costs), what, **ROUNDING)


def cost_of(steps, *, insert=1, delete=1, substitute=1):
    """What the steps cost together, whatever they do."""
    prices = {"keep": 0, "insert": insert, "delete": delete, "substitute": substitute}
    assert isinstance(steps, list), f"an alignment is a list, not {show(steps)}"
    for step in steps:
        assert isinstance(step, tuple | list) and len(step) == 3, f"{show(step)} is no triple"
        assert isinstance(step[0], str) and step[0] in prices, f"{show(step[0])} is none of {', '.join(prices)}"
    return sum(prices[name] for name, _, _ in steps)


def check_steps(student, source, target, **costs):
    """The student's steps turn the source into the target; they are returned."""
    what = f"alignment({source!r}, {target!r}, **{costs})"
    steps = student.alignment(source, target, **costs)
    cost_of(steps)
    i = j = 0
    for step in steps:
        name, old, new = step
        takes, gives = USES[name]
        assert i + takes <= len(source) and j + gives <= len(target), f"{what}: {show(step)} comes after the end"
        assert_equal(old, source[i] if takes else None, f"{what}: the item of the source in {show(step)}")
        assert_equal(new, target[j] if gives else None, f"{what}: the item of the target in {show(step)}")
        assert name != "keep" or old == new, f"{what}: {show(step)} keeps an item that differs"
        i, j = i + takes, j + gives
    assert (i, j) == (len(source), len(target)), f"{what} ends too early"
    return steps


def check_cost(student, source, target, *, expected=None, **costs):
    """The student's steps cost what the cheapest way costs, or what the student takes for that."""
    cost = cost_of(student.alignment(source, target, **costs), **costs)
    expected = cheapest(source, target, **costs) if expected is None else expected
    what = f"the cost of alignment({source!r}, {target!r}, **{costs})"
    assert_right(cost, expected, lambda: number(student.edit_distance(source, target, **costs)), what)


def scaled(table, unit=1):
    """Every number of a table times the unit."""
    assert isinstance(table, list) and all(isinstance(row, list) for row in table), "a table is a list of lists"
    return [[number(cell) * unit for cell in row] for row in table]


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
    check_order(student)
    for whole, unit in (  # what an insertion, a deletion and a substitution cost, in units
        ((2, 7, 5), 1 / 4),
        ((10, 1, 3), 1 / 4),
        ((0, 6, 4), 1 / 2),
        ((6, 0, 4), 1 / 2),
        ((4, 4, 0), 1 / 2),
        ((1, 7, 3), 1 / 10),
        ((3, 1, 7), 1 / 10),
        ((1, 3, 2), 1 / 1024),
        ((4, 7, 9), 100_003),
        ((1, 3, 2), 2**31 + 1),  # beyond 32 bits
    ):
        coarse = dict(zip(("insert", "delete", "substitute"), whole, strict=True))
        costs = {name: cost * unit for name, cost in coarse.items()}
        exact = {"rtol": 0.0, "atol": 0.0} if unit != 1 / 10 else {}  # sums of the others can be held exactly
        for source, target in (("ab", "cde"), ("abc", "dc"), ("abcdef", "x"), (word(rng, 3), word(rng, 4))):
            named = f"{source!r}, {target!r}, **{costs}"

            def distance(source=source, target=target, coarse=coarse, unit=unit):
                return number(student.edit_distance(source, target, **coarse)) * unit

            def table(source=source, target=target, coarse=coarse, unit=unit):
                return scaled(student.edit_table(source, target, **coarse), unit)

            expected = scaled(true_table(source, target, **coarse), unit)
            found = student.edit_distance(source, target, **costs)
            assert_right(found, expected[-1][-1], distance, f"edit_distance({named})", **exact)
            assert_right(student.edit_table(source, target, **costs), expected, table, f"edit_table({named})", **exact)


@criterion(
    "Items are what they are",
    points=3,
    kind="robustness",
    hint="Ask of two items only whether they are equal; never join, split, strip or fold them.",
)
def test_any_tokens(student, rng):
    """Sequences are strings or lists of anything hashable, and two items are the same only if they are equal."""
    check_order(student)
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
        what, letters = f"edit_distance({source!r}, {target!r})", renamed(source, target)
        found, expected = student.edit_distance(source, target), cheapest(source, target)
        assert_right(found, expected, lambda letters=letters: number(student.edit_distance(*letters)), what)
    names = rng.sample(["do", "re", 7, ("fa", 3), None, "d", "o"], k=4)
    for source, target in (
        (rng.choices(names, k=5), rng.choices(names, k=4)),
        ([1, "1", ("a",), -1], [True, 1.0, "a", -2]),
        ([None, "a", None], [None, "b", None]),
    ):
        what, letters = f"edit_table({source!r}, {target!r})", renamed(source, target)
        found, expected = student.edit_table(source, target), true_table(source, target)
        assert_right(found, expected, lambda letters=letters: scaled(student.edit_table(*letters)), what)


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
    long = hidden_in(rng, short, length - 3) + short
    costs = {"insert": 1.0, "delete": 1.0, "substitute": 1.0}  # what holds a row must hold fractions
    student.edit_distance(short, short[::-1])  # what is imported at the first call does not count
    near, far = short, "???"  # all items are kept, or none: lengths do not give this
    for source, target, other in ((near, long, (far, long)), (long, near, (long, far))):
        reply = student.edit_distance.measure(source, target, **costs)
        what = f"edit_distance of {len(source)} and {len(target)} items"
        allowed = length * BYTES_PER_ITEM + 100_000
        assert reply.peak_bytes <= allowed, f"{what} takes {reply.peak_bytes:,} bytes; {allowed:,} are plenty"
        gap = number(student.edit_distance(*other, **costs)) - number(reply.value)
        assert gap >= 2, f"{what} does not say how much they have in common"


@criterion(
    "Long against short, in both directions",
    points=2,
    kind="efficiency",
    hint="Python allows about 1,000 calls within each other; and whoever exchanges the sequences exchanges more.",
    timeout=5,
)
def test_long_inputs(student, rng):
    """More than 1,000 items against a few are no trouble, unequal costs keep their places, and long detours pay."""
    check_order(student)
    costs = {"insert": 3, "delete": 2, "substitute": 4}
    short = word(rng, 6, "abcdef")
    strange = "?" + short[1:3] + "?" + short[4:]  # no "?" in the long one: two substitutions
    few, many = (f"{'x' * size}{short}{'y' * size}" for size in (4, 604))
    for source, target, again, price, distance in (
        (short, many, (short, few), 3, 1208 * 3),
        (many, short, (few, short), 2, 1208 * 2),
        (strange, many, (strange, few), 3, 1208 * 3 + 2 * 4),
        (list(many), list(strange), (list(few), list(strange)), 2, 1208 * 2 + 2 * 4),
    ):
        found = student.edit_distance(source, target, **costs)
        what = f"edit_distance of {len(source)} and {len(target)} items, **{costs}"

        def grown(again=again, price=price):  # 1,200 items more come in, or go away
            return number(student.edit_distance(*again, **costs)) + 1200 * price

        assert_right(found, distance, grown, what)
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
    check_order(student)
    check_cost(student, "ab", "cba")
    check_cost(student, "abc", "bca")
    check_cost(student, "acb", "bac")
    check_cost(student, "abc", "xbyc", insert=3, delete=1, substitute=7)
    check_cost(student, "abcd", "bx", insert=1, delete=2, substitute=8)
    check_cost(student, "aab", "abb", insert=1, delete=4, substitute=3)
    check_cost(student, "abca", "cab", insert=1.5, delete=0.5, substitute=1.75)
    check_cost(student, "abcd", "axc", insert=2.5, delete=1.5, substitute=0.75)
    check_cost(student, "abc", "dbca", insert=0, substitute=2)
    check_cost(student, "abca", "db", delete=0, substitute=2)
    check_cost(student, word(rng, 6), word(rng, 5), **three_costs(rng, dear=True))
    check_cost(student, word(rng, 4), word(rng, 7), **three_costs(rng, dear=False))
    check_cost(student, word(rng, 6, "abcdef"), word(rng, 5, "defgh"), insert=2, delete=2, substitute=1)
    for costs in (
        {"insert": 0.1, "delete": 0.3, "substitute": 0.7},
        {"insert": 0.7, "delete": 0.1, "substitute": 0.3},
        {"insert": 1 / 1024, "delete": 3 / 1024, "substitute": 1 / 512},
        {"insert": 2**31 + 1, "delete": 2**33 + 1, "substitute": 2**34},
    ):
        for source, target in (
            ("abcdefgh", "h"),
            ("x", "abcdefgx"),
            ("abcdefgh", "x"),
            ("abcdefgh", "cfh"),
            (word(rng, 4), word(rng, 5)),
        ):
            check_cost(student, source, target, **costs)
    source, target, table = rotated(rng, insert=3, delete=2)
    check_cost(student, source, target, expected=table[-1][-1], insert=3, delete=2, substitute=9)


@criterion(
    "An alignment of anything",
    points=2,
    kind="robustness",
    hint="One sequence is often used up before the other; and whether items are kept is for the items to say.",
)
def test_alignment_of_anything(student, rng):
    """Alignments work for any items, for empty sequences and for free operations; only equal items are kept."""
    check_order(student)
    names = rng.sample(range(1000, 9999), k=3)
    for source, target in (
        ("", "ab"),
        ("", "cd"),
        ([3, 1, 2], []),
        ([], ""),
        (["ab", 0, None, ("c", 1)], [0, ("c", 1), "", None, "a"]),
        ("Abc ", ["a", "b", "c"]),
        ([1, "1", 0, ("a",)], ["1", 1.0, False, "a"]),
        (rng.choices(names, k=5), rng.choices(names, k=6)),
    ):
        cost, letters = cost_of(check_steps(student, source, target)), renamed(source, target)
        what = f"the cost of alignment({source!r}, {target!r})"
        assert_right(cost, cheapest(source, target), lambda letters=letters: cost_of(student.alignment(*letters)), what)
    check_steps(student, "abcb", "xbyc", substitute=0)
    check_steps(student, "abc", "dbca", insert=0, substitute=2)
    check_steps(student, "abca", "db", delete=0, substitute=2)
    check_steps(student, word(rng, 6), word(rng, 5), **three_costs(rng, dear=True))
    check_steps(student, word(rng, 4), word(rng, 7), **three_costs(rng, dear=False))
    check_steps(student, word(rng, 5), word(rng, 6), insert=0.1, delete=0.7, substitute=0.3)


@criterion(
    "A rate per word of the reference",
    points=3,
    kind="value",
    hint="Count edits of whole words over the whole text, and divide once, by the words that should have been said.",
)
def test_word_error_values(student, rng):
    """The rate counts words as split() finds them, and only the length of the reference divides it."""
    check_order(student)
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
        said, heard = reference.split(), hypothesis.split()
        found = student.word_error_rate(reference, hypothesis)

        def follows(said=said, heard=heard):
            return number(student.edit_distance(said, heard)) / len(said)

        assert_right(found, rate, follows, f"word_error_rate({reference!r}, {hypothesis!r})")


@criterion(
    "Nothing was said",
    points=2,
    kind="robustness",
    hint="Without a word in the reference there is nothing to divide by: which one of the two cases has an answer?",
)
def test_empty_reference(student):
    """Without words in the reference the rate is 0 if the hypothesis has none either, and else a ValueError."""
    check_order(student)
    for reference, hypothesis in (("", ""), (" \n", ""), ("", "\t ")):
        found = student.word_error_rate(reference, hypothesis)
        assert_equal(found, 0.0, f"word_error_rate({reference!r}, {hypothesis!r})")
    number(student.word_error_rate("two words", " "))  # how large it is, is another criterion's matter
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
    check_order(student)
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
def test_no_trace(student, rng):
    """The arguments are unchanged after a call, and a call does not depend on the calls before it."""
    pairs = [(["a", "b", "c"], ["a", "c", "d", "d"]), (["a", "b", "c", "z"], ["a", "d", "z"])]
    pairs += [(target, source) for source, target in pairs]
    like = [(["a", "b"], ["a", "b"]), (["a", "b", "z"], ["a", "d", "z"])]  # through any table that is nearly right
    for function, asked in ((student.edit_distance, pairs), (student.edit_table, pairs), (student.alignment, like)):
        for pair in asked:
            assert_equal(list(function.observe(*pair).args), list(pair), "the arguments after the call")
    check_order(student)
    letters = iter(rng.sample(range(0x4E00, 0x9FFF), k=16 * 6))  # nobody has asked for these before
    prices = [{"insert": price, "delete": price, "substitute": price} for price in (1, 3, 2, 1)]
    for costs in (*prices, {"delete": 5}, {"insert": 5}, {"substitute": 5}, {}):
        for source, target in (("abc", "bd"), ("bcd", "ab")):
            new = renamed(source, target, [chr(next(letters)) for _ in range(6)])
            named = f"{source!r}, {target!r}, **{costs}"

            def distance(new=new, costs=costs):
                return number(student.edit_distance(*new, **costs))

            def table(new=new, costs=costs):
                return scaled(student.edit_table(*new, **costs))

            expected = true_table(source, target, **costs)
            found = student.edit_distance(source, target, **costs)
            assert_right(found, expected[-1][-1], distance, f"edit_distance({named})")
            assert_right(student.edit_table(source, target, **costs), expected, table, f"edit_table({named})")
    for source, near, far in (("ab", "ab", "cd"), ("cd", "cd", "ab")):  # of equal shapes
        last = [number(scaled(student.edit_table(source, target))[-1][-1]) for target in (near, far)]
        assert last[0] < last[1], f"edit_table({source!r}, {far!r}) has the answer of an earlier call"
        steps = [cost_of(student.alignment(source, target)) for target in (near, far)]
        assert steps[0] < steps[1], f"alignment({source!r}, {far!r}) has the answer of an earlier call"
