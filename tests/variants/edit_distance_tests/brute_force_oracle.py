"""An oracle that tries every way to pair items, and knows nothing of tables."""

from itertools import combinations
from math import isclose
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


def cheapest(source, target, *, insert=1, delete=1, substitute=1):
    best = None
    for size in range(min(len(source), len(target)) + 1):
        for left in combinations(source, size):
            for right in combinations(target, size):
                changes = sum(a != b for a, b in zip(left, right))
                cost = changes * substitute + (len(source) - size) * delete + (len(target) - size) * insert
                best = cost if best is None else min(best, cost)
    return best


ALPHABETS = ["ab", "abc", "aA ", [0, None, "", "0"], [1, "1", (1,)], ["x y", "x", "y"]]
PRICES = [0, 0.5, 1, 2, 3.25]


def inputs(count, longest=4):
    """Random sequences, strings or lists, with costs; the seed is fixed by run."""
    for _ in range(count):
        alphabet = random.choice(ALPHABETS)
        pair = [random.choices(alphabet, k=random.randrange(longest + 1)) for _ in range(2)]
        if isinstance(alphabet, str):
            pair = ["".join(part) for part in pair]
        names = random.sample(["insert", "delete", "substitute"], random.randrange(4))
        yield *pair, {name: random.choice(PRICES) for name in names}


def test_distance_is_the_cheapest_way(implementation):
    for source, target, costs in inputs(150):
        assert implementation.edit_distance(source, target, **costs) == cheapest(source, target, **costs)


def test_long_against_short(implementation):
    for short in ("", "a", "ba"):
        assert implementation.edit_distance(short, "cab" * 20) == 60 - len(short)
        assert implementation.edit_distance("cab" * 20, short) == 60 - len(short)


def test_cells_are_cheapest_ways_of_prefixes(implementation):
    for source, target, costs in inputs(40, 3):
        table = implementation.edit_table(source, target, **costs)
        expected = [
            [cheapest(source[:i], target[:j], **costs) for j in range(len(target) + 1)]
            for i in range(len(source) + 1)
        ]
        assert table == expected


def test_alignments_pay_the_price(implementation):
    uses = {"keep": (1, 1), "substitute": (1, 1), "insert": (0, 1), "delete": (1, 0)}
    for source, target, costs in inputs(80):
        price = dict(insert=1, delete=1, substitute=1, keep=0) | costs
        i = j = paid = 0
        for name, old, new in implementation.alignment(source, target, **costs):
            down, right = uses[name]
            assert old == (source[i] if down else None)
            assert new == (target[j] if right else None)
            if name == "keep":
                assert old == new
            i, j, paid = i + down, j + right, paid + price[name]
        assert (i, j, paid) == (len(source), len(target), cheapest(source, target, **costs))


def test_rates(implementation):
    for _ in range(40):
        said = random.choices(["a", "b", "A", "b.", "abc"], k=random.randrange(1, 5))
        heard = random.choices(["a", "b", "A", "b.", "abc"], k=random.randrange(5))
        gap = random.choice([" ", "  ", "\n", " \t"])
        found = implementation.word_error_rate(gap.join(said), gap.join(heard) + gap)
        assert isclose(found, cheapest(said, heard) / len(said), abs_tol=1e-12)
    assert implementation.word_error_rate("", " ") == 0


def test_refusals(implementation):
    for name in ("edit_distance", "edit_table", "alignment"):
        for cost in ("insert", "delete", "substitute"):
            try:
                getattr(implementation, name)("ab", "ca", **{cost: -0.5})
            except ValueError as error:
                assert cost in str(error)
                continue
            assert False, name
    try:
        implementation.word_error_rate("\n", "a")
    except ValueError:
        return
    assert False
