"""Public tests of edit_distance, to work by. The hidden tests ask more, and of other inputs."""

from grader.judge import assert_close, assert_equal, criterion, show, student_raises

# Which items a step uses up: (one of the source, one of the target).
USES = {"keep": (True, True), "substitute": (True, True), "insert": (False, True), "delete": (True, False)}


def replay(steps, source, target, *, insert=1, delete=1, substitute=1):
    """Follow the steps of an alignment from source to target, and return what they cost."""
    assert isinstance(steps, list), f"an alignment is a list of steps, found {show(steps)}"
    prices = {"keep": 0, "substitute": substitute, "insert": insert, "delete": delete}
    i = j = cost = 0
    for number, step in enumerate(steps):
        assert isinstance(step, tuple | list) and len(step) == 3, f"step {number} is no triple: {show(step)}"
        name, old, new = step
        assert isinstance(name, str) and name in USES, f"step {number}: {show(name)} is none of {', '.join(USES)}"
        takes, gives = USES[name]
        assert i + takes <= len(source), f"step {number}, {show(step)}: the source is used up already"
        assert j + gives <= len(target), f"step {number}, {show(step)}: the target is complete already"
        assert_equal(old, source[i] if takes else None, f"step {number}, {show(step)}: the item of the source")
        assert_equal(new, target[j] if gives else None, f"step {number}, {show(step)}: the item of the target")
        assert name != "keep" or old == new, f"step {number}, {show(step)}: only equal items can be kept"
        i, j, cost = i + takes, j + gives, cost + prices[name]
    assert i == len(source), f"the steps leave {len(source) - i} items of the source untouched"
    assert j == len(target), f"the steps do not produce the last {len(target) - j} items of the target"
    return cost


def check_order(student):
    """A word with one wrong letter is much nearer than one without a common letter, though it is as long."""
    for word, near, far in (("abcde", "abcdx", "vwxyz"), ("vwxyz", "awxyz", "abcde")):
        distances = student.edit_distance(word, near), student.edit_distance(word, far)
        assert all(isinstance(number, int | float) for number in distances), f"distances are numbers: {show(distances)}"
        what = f"edit_distance({word!r}, {near!r}) must be far below edit_distance({word!r}, {far!r})"
        assert distances[1] - distances[0] >= 3, f"{what}, found {show(distances)}"


@criterion(
    "The words of the lecture",
    points=2,
    kind="value",
    question="What is the cheapest way to turn f into l, and from which three neighbours of a cell can you come?",
    hint="Fill the table of flaw and lawn by hand, then print yours and look for the first cell that differs.",
    step="Each cell is the smallest of three sums: above plus delete, left plus insert, diagonal plus 0 or substitute.",
)
def test_lecture_values(student):
    """The distances of the pairs of words from the lecture are right."""
    pairs = {("money", "monkey"): 1, ("good", "gold"): 1, ("Hella", "Hello"): 1, ("flaw", "lawn"): 2}
    pairs |= {("Hello", "He"): 3, ("INTENTION", "EXECUTION"): 5}
    for (source, target), distance in pairs.items():
        assert_equal(student.edit_distance(source, target), distance, f"edit_distance({source!r}, {target!r})")
    found = student.edit_distance("INTENTION", "EXECUTION", substitute=2)
    assert_equal(found, 8, "edit_distance('INTENTION', 'EXECUTION', substitute=2)")
    assert_equal(student.edit_distance("flaw", "lawn", substitute=2), 2, "edit_distance('flaw', 'lawn', substitute=2)")


@criterion(
    "A whole table",
    points=2,
    kind="shape",
    question="How many prefixes does a word of four letters have?",
    hint="Rows belong to the source and columns to the target, and each has one more for the empty prefix.",
    step="Make len(source) + 1 rows of len(target) + 1 cells; row 0 counts insertions, column 0 deletions.",
)
def test_small_table(student):
    """The table has a row for every prefix of the source, a column for every prefix of the target, and a border."""
    expected = [
        # -  l  a  w  n  s
        [0, 1, 2, 3, 4, 5],  # -
        [1, 1, 2, 3, 4, 5],  # f
        [2, 1, 2, 3, 4, 5],  # l
        [3, 2, 1, 2, 3, 4],  # a
        [4, 3, 2, 1, 2, 3],  # w
    ]
    assert_equal(student.edit_table("flaw", "lawns"), expected, "edit_table('flaw', 'lawns')")
    assert_equal(student.edit_table("", ""), [[0]], "edit_table('', '')")
    assert_equal(student.edit_table([], ["a", "b"]), [[0, 1, 2]], "edit_table([], ['a', 'b'])")
    assert_equal(student.edit_table("ab", ""), [[0], [1], [2]], "edit_table('ab', '')")
    assert_equal(student.edit_table("o", "o"), [[0, 1], [1, 0]], "edit_table('o', 'o')")
    assert_equal(student.edit_table("o", "a"), [[0, 1], [1, 1]], "edit_table('o', 'a')")


@criterion(
    "Costs are the caller's",
    points=2,
    kind="value",
    question="Which of the three arguments is paid where nothing of the source is used?",
    hint="In the table, which cost belongs to a step down, which to a step to the right, and which to the border?",
    step="Left to right pays insert, top to bottom pays delete; the border is a sum of one of them alone.",
)
def test_own_costs(student):
    """Each operation has its own cost, in the border too; two cheap operations replace an expensive substitution."""
    assert_equal(student.edit_table("", "ab", insert=3), [[0, 3, 6]], "edit_table('', 'ab', insert=3)")
    assert_equal(student.edit_table("ab", "", delete=4), [[0], [4], [8]], "edit_table('ab', '', delete=4)")
    for source, target, costs, distance in (
        ("money", "monkey", {"insert": 3, "delete": 5}, 3),
        ("monkey", "money", {"insert": 3, "delete": 5}, 5),
        ("cat", "cut", {"insert": 6, "delete": 6, "substitute": 4}, 4),
        ("cat", "tap", {"insert": 6, "delete": 6, "substitute": 4}, 8),
        ("cat", "cut", {"insert": 1, "delete": 2, "substitute": 4}, 3),
    ):
        named = ", ".join(f"{name}={cost}" for name, cost in costs.items())
        what = f"edit_distance({source!r}, {target!r}, {named})"
        assert_equal(student.edit_distance(source, target, **costs), distance, what)


@criterion(
    "An alignment can be replayed",
    points=3,
    kind="value",
    question="Standing in the last cell, how can you tell from which neighbour its value came?",
    hint="Walk from the last cell back to the first, write down each step, and turn the list round at the end.",
    step="While i or j is above 0, find a neighbour whose value plus its cost is this cell's, note the step, "
    "move there.",
)
def test_alignment_replays(student):
    """Followed step by step, the alignment turns the source into the target at the cost of the distance."""
    check_order(student)
    for source, target, costs, distance in (
        ("good", "gold", {}, 1),
        ("money", "monkey", {}, 1),
        ("Hello", "He", {}, 3),
        ("flaw", "lawn", {}, 2),
        (["the", "cat", "sat"], ["the", "old", "dog", "sat"], {}, 2),
        ("cat", "cut", {"substitute": 5}, 2),
    ):
        named = "".join(f", {name}={cost}" for name, cost in costs.items())
        what = f"alignment({source!r}, {target!r}{named})"
        cost = replay(student.alignment(source, target, **costs), source, target, **costs)
        if cost != distance and cost == student.edit_distance(source, target, **costs):
            continue  # a wrong distance is another criterion's matter
        assert_equal(cost, distance, f"the cost of the steps of {what}")


@criterion(
    "Word error rate",
    points=2,
    kind="value",
    question="Two words were said and ten were heard: how large is the rate?",
    hint="Split both texts into words, and ask who decides how many words there were to get right.",
    step="Give the two lists of words to your distance, and divide by the number of words of the reference; "
    "take care of 0.",
)
def test_word_errors(student):
    """The word error rate is the number of word edits per word of the reference."""
    check_order(student)
    for reference, hypothesis, rate in (
        ("the cat sat on the mat", "the cat sat on the mat", 0.0),
        ("the cat sat on the mat", "the hat sat on mat", 2 / 6),
        ("the cat sat on the mat", "the cat sat the mat", 1 / 6),
        ("recognise speech", "wreck a nice beach", 2.0),
        ("recognise speech", "recognise a speech", 1 / 2),
        ("", "", 0.0),
    ):
        found = student.word_error_rate(reference, hypothesis)
        if reference and found != rate:
            words, heard = reference.split(), hypothesis.split()
            distance = student.edit_distance(words, heard)
            if isinstance(distance, int | float) and found == distance / len(words):
                continue  # a wrong distance is another criterion's matter
        assert_close(found, rate, f"word_error_rate({reference!r}, {hypothesis!r})")


@criterion(
    "A negative cost is refused",
    points=1,
    kind="robustness",
    question="When should a wrong argument be noticed: before or after the work?",
    hint="Compare each cost with 0 before anything else, and put its name into the message of the ValueError.",
    step="Loop over the names and values of the three costs; where a value is below 0, raise and put the name "
    "into the text.",
)
def test_negative_cost(student):
    """A negative cost raises a ValueError that names the argument; zero is a cost like any other."""
    near, far = student.edit_distance("a", "a"), student.edit_distance("a", "abcdef")
    assert all(isinstance(number, int | float) for number in (near, far)), "a distance is a number"
    assert far - near >= 3, (
        f"edit_distance('a', 'abcdef') must be far above edit_distance('a', 'a'), found {far}, {near}"
    )
    for name in ("insert", "delete", "substitute"):
        student.edit_distance("kitten", "sitting", **{name: 0})
        with student_raises("ValueError", naming=name):
            student.edit_distance("kitten", "sitting", **{name: -1})


@criterion(
    "No question is answered twice",
    points=2,
    kind="efficiency",
    question="How many different pairs of prefixes are there for two words of twenty letters?",
    hint="A recursion that calls itself three times meets the same two prefixes again and again: keep the answers.",
    step="Fill a table row by row, so that each pair of prefixes is computed once; only then read the last cell.",
    timeout=2,
)
def test_not_exponential(student):
    """Two sentences of some twenty letters take no time at all."""
    check_order(student)
    said = "how to recognise speech"
    for heard in ("how to wreck a nice beach", "how to cook rice in peace"):
        found = student.edit_distance(heard, said)
        assert isinstance(found, int | float), f"edit_distance({heard!r}, {said!r}) must be a number, not {show(found)}"
