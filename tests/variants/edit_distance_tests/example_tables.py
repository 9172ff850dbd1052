"""Examples only: tables of inputs and outputs, worked out by hand."""

import builtins
import random
from collections.abc import Callable, Sequence

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


# source, target, costs, distance
DISTANCES = [
    ("money", "monkey", {}, 1),
    ("flaw", "lawn", {}, 2),
    ("INTENTION", "EXECUTION", {}, 5),
    ("INTENTION", "EXECUTION", {"substitute": 2}, 8),
    ("", "", {}, 0),
    ("", "abc", {"insert": 2, "delete": 7}, 6),
    ("abc", "", {"insert": 2, "delete": 7}, 21),
    ("a", "abc", {"insert": 2, "delete": 7}, 4),
    ("abc", "a", {"insert": 2, "delete": 7}, 14),
    ("xab", "ab", {"delete": 5, "substitute": 9}, 5),
    ("ab", "xab", {"insert": 5, "substitute": 9}, 5),
    ("ab", "cd", {"insert": 5, "delete": 5, "substitute": 3}, 6),
    ("ab", "cd", {"insert": 0.5, "delete": 0.25}, 1.5),
    ("ab", "ba", {}, 2),
    ("bxy", "ab", {"insert": 3, "substitute": 9}, 5),
    ("abc", "xbc", {}, 1),
    ("abc", "abx", {}, 1),
    ("ab", "cd", {"substitute": 0}, 0),
    ("ab", "b", {"delete": 0}, 0),
    ("b", "ab", {"insert": 0}, 0),
    ("Ab", "ab", {}, 1),
    (" ab\n", "ab", {}, 2),
    ([1, 2], ["1", 2], {}, 1),
    ([0], [None], {}, 1),
    (["ab", "c"], ["ab", "d"], {}, 1),
    (["ab"], "ab", {}, 2),
    ("x" * 50, "", {}, 50),
    ("x" * 50 + "ab", "ab", {}, 50),
    ("ab", "x" * 50 + "ab", {}, 50),
    ("x" * 50 + "ab" + "y" * 5, "ab", {}, 55),
]

TABLES = [
    ("go", "to", {}, [[0, 1, 2], [1, 1, 2], [2, 2, 1]]),
    ("", "ab", {"insert": 3}, [[0, 3, 6]]),
    ("ab", "", {"delete": 3}, [[0], [3], [6]]),
    ("ab", "b", {"insert": 2, "delete": 5, "substitute": 4}, [[0, 2], [5, 4], [10, 5]]),
    ("a", "ba", {"insert": 0.5, "delete": 4, "substitute": 2}, [[0, 0.5, 1.0], [4, 2, 0.5]]),
]

# What an alignment must be, where there is only one.
ALIGNMENTS = [
    ("", "", {}, []),
    ("a", "", {}, [("delete", "a", None)]),
    ("", "a", {}, [("insert", None, "a")]),
    ("old", "odd", {}, [("keep", "o", "o"), ("substitute", "l", "d"), ("keep", "d", "d")]),
    ("ab", "b", {}, [("delete", "a", None), ("keep", "b", "b")]),
    ("b", "ab", {}, [("insert", None, "a"), ("keep", "b", "b")]),
    ("abc", "bcd", {}, [("delete", "a", None), ("keep", "b", "b"), ("keep", "c", "c"), ("insert", None, "d")]),
    ("ab", "bc", {"substitute": 9}, [("delete", "a", None), ("keep", "b", "b"), ("insert", None, "c")]),
    ("ab", "ba", {"substitute": 0}, [("substitute", "a", "b"), ("substitute", "b", "a")]),
    ("abc", "b", {}, [("delete", "a", None), ("keep", "b", "b"), ("delete", "c", None)]),
    (
        "ab",
        "ba",
        {"substitute": 0.5},
        [("substitute", "a", "b"), ("substitute", "b", "a")],
    ),
]

RATES = [
    ("a b c d", "a b c d", 0.0),
    ("it is a nice day", "it was nice day", 0.4),
    ("a b c", "a x c", 1 / 3),
    ("a b c", "a c", 1 / 3),
    ("a", "a b c", 2.0),
    ("recognise speech", "wreck a nice beach", 2.0),
    ("a b", "b a", 1.0),
    ("a  b\tc", "a b c", 0.0),
    ("A b.", "a b", 1.0),
    ("", "", 0.0),
    (" ", "\n", 0.0),
    ("a b", "", 1.0),
]


def test_distances(implementation):
    for source, target, costs, distance in DISTANCES:
        found = implementation.edit_distance(source, target, **costs)
        assert abs(found - distance) < 1e-9, (source, target, costs, found)


def test_tables(implementation):
    for source, target, costs, table in TABLES:
        assert implementation.edit_table(source, target, **costs) == table


def test_last_cells(implementation):
    for source, target, costs, distance in DISTANCES:
        assert abs(implementation.edit_table(source, target, **costs)[-1][-1] - distance) < 1e-9


def test_alignments(implementation):
    for source, target, costs, steps in ALIGNMENTS:
        assert [tuple(step) for step in implementation.alignment(source, target, **costs)] == steps


def test_rates(implementation):
    for reference, hypothesis, rate in RATES:
        assert abs(implementation.word_error_rate(reference, hypothesis) - rate) < 1e-9


def test_errors(implementation):
    functions = implementation.edit_distance, implementation.edit_table, implementation.alignment
    for function in functions:
        for cost in ("insert", "delete", "substitute"):
            expect_value_error(function, "a", "b", naming=cost, **{cost: -2})
    for reference in ("", "  "):
        expect_value_error(implementation.word_error_rate, reference, "a")


def expect_value_error(function, *arguments, naming="", **costs):
    try:
        function(*arguments, **costs)
    except ValueError as error:
        assert naming in str(error), f"{naming} is not named"
    else:
        assert False, "nothing was raised"
