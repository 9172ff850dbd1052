"""Tests for any edit distance: properties that every right implementation has, and that no wrong one should have.

Write functions `test_…(implementation)` that raise an AssertionError where an implementation is wrong. What they may
ask is in the class `Implementation`; they never see its code. `run` and `Implementation` are complete: leave them.
"""

import builtins
import random
from collections.abc import Callable, Sequence
from math import isclose

Number = int | float
Answer = tuple  # ("value", result) or ("raises", the exception's type, its message)


class Implementation:
    """An implementation of `edit_distance` under test: the four functions of that exercise, and nothing else.

    >>> always_3 = Implementation(lambda function, arguments, costs: ("value", 3))
    >>> always_3.edit_distance("ab", "b", insert=2)
    3
    """

    def __init__(self, call: Callable[[str, list, dict], Answer]) -> None:
        self._call = call

    def edit_distance(self, source: Sequence, target: Sequence, **costs: Number) -> Number:
        return self._ask("edit_distance", source, target, costs)

    def edit_table(self, source: Sequence, target: Sequence, **costs: Number) -> list[list[Number]]:
        return self._ask("edit_table", source, target, costs)

    def alignment(self, source: Sequence, target: Sequence, **costs: Number) -> list[tuple]:
        return self._ask("alignment", source, target, costs)

    def word_error_rate(self, reference: str, hypothesis: str) -> float:
        return self._ask("word_error_rate", reference, hypothesis, {})

    def _ask(self, function, one, other, costs):
        """The value that the implementation returned; what it raised is raised here."""
        kind, *answer = self._call(function, [one, other], costs)
        if kind == "value":
            return answer[0]
        name, message = answer
        error = getattr(builtins, name, None)
        known = isinstance(error, type) and issubclass(error, Exception) and error is not NotImplementedError
        raise error(message) if known else RuntimeError(f"{name}: {message}")


def run(call: Callable[[str, list, dict], Answer]) -> list[str]:
    """The names of the tests in this file that fail on the implementation behind `call`.

    >>> len(run(lambda function, arguments, costs: ("value", 42))) > 0
    True
    """
    failed = []
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            random.seed(name)  # the same inputs for every implementation, and in every run
            try:
                test(Implementation(call))
            except NotImplementedError:
                raise  # a test that is not written yet
            except Exception:  # an AssertionError, or whatever else went wrong
                failed.append(name)
    return failed


### BEGIN SOLUTION
# Unequal, so that no two can be exchanged unseen; sums of powers of two, so that no right order of additions rounds.
COSTS = [
    {},
    {"insert": 2, "delete": 3, "substitute": 4},
    {"insert": 5, "delete": 1.5, "substitute": 2},
    {"insert": 0.5, "delete": 0.75, "substitute": 4},
    {"insert": 0, "delete": 2, "substitute": 1},
    {"substitute": 2},
    {"substitute": 0},
]
DEFAULT = {"insert": 1, "delete": 1, "substitute": 1}


def word(longest: int = 6, letters: str = "abc") -> str:
    """A random word: few letters, so that many coincide."""
    return "".join(random.choices(letters, k=random.randint(0, longest)))


def pairs(rounds: int, longest: int = 6):
    """Random sources, targets and costs, every cost in turn."""
    for number in range(rounds):
        yield word(longest), word(longest), COSTS[number % len(COSTS)]


def refused(function: Callable, *arguments, **costs) -> str:
    """The message of the ValueError that the call must raise."""
    try:
        function(*arguments, **costs)
    except ValueError as error:
        return str(error)
    raise AssertionError("no ValueError")


### END SOLUTION
def test_edit_distance(implementation: Implementation) -> None:
    """The first of your tests. Rename it, and write others beside it: one property, one function."""
    ### BEGIN SOLUTION
    for source, target, distance in (
        ("money", "monkey", 1),
        ("good", "gold", 1),
        ("flaw", "lawn", 2),
        ("Hello", "He", 3),
        ("ab", "ba", 2),
        ("INTENTION", "EXECUTION", 5),
    ):
        assert implementation.edit_distance(source, target) == distance
    assert implementation.edit_distance("INTENTION", "EXECUTION", substitute=2) == 8
    ### END SOLUTION


### BEGIN SOLUTION
def test_nothing_to_do(implementation: Implementation) -> None:
    """From a sequence to itself it costs nothing; to a different one, something."""
    for source, target, costs in pairs(14):
        assert implementation.edit_distance(source, source, **costs) == 0
        assert source == target or implementation.edit_distance(source, target) > 0


def test_out_of_nothing_and_into_nothing(implementation: Implementation) -> None:
    """An empty source leaves only insertions, an empty target only deletions."""
    for costs in COSTS:
        prices = DEFAULT | costs
        for n in (0, 1, 4):
            assert implementation.edit_distance("", "abcd"[:n], **costs) == n * prices["insert"]
            assert implementation.edit_distance("abcd"[:n], "", **costs) == n * prices["delete"]


def test_one_edit(implementation: Implementation) -> None:
    """One new item costs an insertion, one lost item a deletion, one changed item the cheaper of two ways."""
    for source, _, costs in pairs(14):
        prices = DEFAULT | costs
        place = random.randint(0, len(source))
        longer, changed = source[:place] + "x" + source[place:], source[:place] + "x" + source[place + 1 :]
        assert implementation.edit_distance(source, longer, **costs) == prices["insert"]
        assert implementation.edit_distance(longer, source, **costs) == prices["delete"]
        if place < len(source):
            change = min(prices["substitute"], prices["insert"] + prices["delete"])
            assert implementation.edit_distance(source, changed, **costs) == change


def test_there_and_back(implementation: Implementation) -> None:
    """Read backwards, an insertion is a deletion."""
    for source, target, costs in pairs(14):
        prices = DEFAULT | costs
        back = prices | {"insert": prices["delete"], "delete": prices["insert"]}
        there = implementation.edit_distance(source, target, **costs)
        assert there == implementation.edit_distance(target, source, **back)


def test_no_detour_is_shorter(implementation: Implementation) -> None:
    """The way over a third word costs at least as much."""
    for source, target, costs in pairs(14):
        over = word()
        detour = implementation.edit_distance(source, over, **costs) + implementation.edit_distance(
            over, target, **costs
        )
        assert implementation.edit_distance(source, target, **costs) <= detour


def test_common_ends_can_be_cut_off(implementation: Implementation) -> None:
    for source, target, costs in pairs(7):
        begin, end = word(3), word(3)
        longer = implementation.edit_distance(begin + source + end, begin + target + end, **costs)
        assert longer == implementation.edit_distance(source, target, **costs)


def test_prices_in_another_currency(implementation: Implementation) -> None:
    """With all costs halved, the distance is half."""
    for source, target, costs in pairs(7):
        half = {name: price / 2 for name, price in (DEFAULT | costs).items()}
        whole = implementation.edit_distance(source, target, **costs)
        assert implementation.edit_distance(source, target, **half) == whole / 2


def test_far_from_the_diagonal(implementation: Implementation) -> None:
    """Very different lengths: the spare items are inserted, or deleted."""
    long = "xy" * 12 + "abc" + "yx" * 14
    assert implementation.edit_distance("abc", long, insert=2) == 2 * (len(long) - 3)
    assert implementation.edit_distance(long, "abc", delete=2) == 2 * (len(long) - 3)


def test_items_are_equal_or_not(implementation: Implementation) -> None:
    """Items of any kind; only == makes two of them the same."""
    for source, target, distance in (
        ("Aa", "aA", 2),
        (" a ", "a", 2),
        ([1, 2], ["1", "2"], 2),
        ([0, None, ""], ["", 0, None], 2),
        (["ab", "c"], ["a", "bc"], 2),
        (["ab", "c"], "abc", 2),
        ([("a", 1), 2.5], [("a", 1), 2.5], 0),
    ):
        assert implementation.edit_distance(source, target) == distance
        assert implementation.edit_table(source, target)[-1][-1] == distance


def test_the_table_is_made_of_distances(implementation: Implementation) -> None:
    """A cell for every pair of prefixes, the empty ones too, and each is their distance."""
    for source, target, costs in (("abcab", "cab", COSTS[1]), ("ba", "abca", COSTS[2]), ("", "ab", {}), ("b", "", {})):
        table = implementation.edit_table(source, target, **costs)
        assert len(table) == len(source) + 1
        for i, row in enumerate(table):
            assert len(row) == len(target) + 1
            for j, cell in enumerate(row):
                assert cell == implementation.edit_distance(source[:i], target[:j], **costs)


def test_each_cell_follows_from_three(implementation: Implementation) -> None:
    """The recurrence itself, cell by cell."""
    for source, target, costs in pairs(14):
        insert, delete, substitute = (DEFAULT | costs).values()
        table = implementation.edit_table(source, target, **costs)
        assert table[0] == [j * insert for j in range(len(target) + 1)]
        assert [row[0] for row in table] == [i * delete for i in range(len(source) + 1)]
        for i, old in enumerate(source, start=1):
            for j, new in enumerate(target, start=1):
                corner = table[i - 1][j - 1] + (0 if old == new else substitute)
                assert table[i][j] == min(table[i - 1][j] + delete, table[i][j - 1] + insert, corner)


def test_an_alignment_can_be_replayed(implementation: Implementation) -> None:
    """The steps use up the source, make the target, and cost the distance together."""
    for source, target, costs in [*pairs(28), ("", "ab", {}), ("ab", "", {}), ([1, None], ["1", 2, None], {})]:
        prices = DEFAULT | costs | {"keep": 0}
        i = j = cost = 0
        for name, old, new in implementation.alignment(source, target, **costs):
            if name == "insert":
                assert old is None and new == target[j]
            elif name == "delete":
                assert new is None and old == source[i]
            else:
                assert (old, new) == (source[i], target[j]) and (old == new) >= (name == "keep")
            i, j, cost = i + (name != "insert"), j + (name != "delete"), cost + prices[name]
        assert (i, j) == (len(source), len(target))
        assert cost == implementation.edit_distance(source, target, **costs)


def test_negative_costs_are_refused(implementation: Implementation) -> None:
    """By all three functions, whichever cost it is, with its name in the message; 0 is a cost like any other."""
    for function in (implementation.edit_distance, implementation.edit_table, implementation.alignment):
        for name in ("insert", "delete", "substitute"):
            assert name in refused(function, "ab", "bc", **{name: -1})
            function("ab", "bc", **{name: 0})


def test_word_error_rate_counts_words(implementation: Implementation) -> None:
    """Word edits per word of the reference; white space only separates."""
    for reference, hypothesis, rate in (
        ("a b c d", "a c d", 1 / 4),
        ("a b c", "a x c", 1 / 3),
        ("recognise speech", "wreck a nice beach", 2.0),
        ("b c", "c b", 1.0),
        ("  to  be\tor\n", "to be or", 0.0),
        ("The cat.", "the cat", 1.0),
        ("long words count as one", "short words count as one", 1 / 5),
        ("one two three\nfour", "one two three\nfive", 1 / 4),
    ):
        assert isclose(implementation.word_error_rate(reference, hypothesis), rate)


def test_word_error_rate_is_a_distance_of_words(implementation: Implementation) -> None:
    for _ in range(10):
        said, heard = (random.choices(["so", "la", "ti"], k=random.randint(1, 7)) for _ in range(2))
        rate = implementation.word_error_rate(" ".join(said), " ".join(heard))
        assert isclose(rate, implementation.edit_distance(said, heard) / len(said))


def test_nothing_was_said(implementation: Implementation) -> None:
    """Without words in the reference there is a rate only if nothing was heard either."""
    assert implementation.word_error_rate("", "") == implementation.word_error_rate(" ", "\n") == 0
    assert implementation.word_error_rate("two words", "") == 1
    for reference in ("", " \t"):
        refused(implementation.word_error_rate, reference, "word")


def test_nothing_is_remembered(implementation: Implementation) -> None:
    """The same words with other costs, and the first ones again."""
    found = [implementation.edit_distance("ab", "cd", substitute=cost) for cost in (1, 2, 0, 1)]
    assert found == [2, 4, 0, 2]


### END SOLUTION
