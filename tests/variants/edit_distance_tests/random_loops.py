"""In the manner of hypothesis: a decorator draws many examples and shrinks none of them."""

from functools import wraps
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


def forall(count, **draw):
    """The test runs for `count` random examples; `draw` says how each argument is drawn."""

    def decorate(test):
        @wraps(test)
        def run_all(implementation):
            for _ in range(count):
                test(implementation, **{name: make() for name, make in draw.items()})

        return run_all

    return decorate


def text(alphabet="abA ", size=5):
    return lambda: "".join(random.choice(alphabet) for _ in range(random.randint(0, size)))


def tokens(size=4):
    return lambda: [random.choice([0, 1, "1", None, "", "ab", ("a", 2)]) for _ in range(random.randint(0, size))]


def costs(low=0):
    return lambda: {name: random.randint(4 * low, 20) / 4 for name in ("insert", "delete", "substitute")}


def sentence(least=0):
    return lambda: [random.choice(["so", "la", "So", "la,"]) for _ in range(random.randint(least, 5))]


def distance_by_definition(source, target, insert=1, delete=1, substitute=1):
    if not source or not target:
        return len(source) * delete + len(target) * insert
    if source[0] == target[0]:
        return distance_by_definition(source[1:], target[1:], insert, delete, substitute)
    return min(
        distance_by_definition(source[1:], target, insert, delete, substitute) + delete,
        distance_by_definition(source, target[1:], insert, delete, substitute) + insert,
        distance_by_definition(source[1:], target[1:], insert, delete, substitute) + substitute,
    )


@forall(80, a=text(), b=text(), prices=costs())
def test_distance(implementation, a, b, prices):
    assert implementation.edit_distance(a, b, **prices) == distance_by_definition(a, b, **prices)


@forall(40, a=tokens(), b=tokens())
def test_distance_of_tokens(implementation, a, b):
    assert implementation.edit_distance(a, b) == distance_by_definition(a, b)


@forall(20, a=text("ab", 3), b=text("bc", 3))
def test_common_middle_far_away(implementation, a, b):
    assert implementation.edit_distance(a, "x" * 50 + a) == 50
    assert implementation.edit_distance("x" * 50 + b, b) == 50


@forall(25, a=text(size=4), b=text(size=4), prices=costs())
def test_table(implementation, a, b, prices):
    rows = implementation.edit_table(a, b, **prices)
    assert rows == [
        [distance_by_definition(a[:i], b[:j], **prices) for j in range(len(b) + 1)] for i in range(len(a) + 1)
    ]


@forall(80, a=tokens(), b=tokens(), prices=costs())
def test_alignment(implementation, a, b, prices):
    steps = implementation.alignment(a, b, **prices)
    left, right = list(a), list(b)
    total = 0
    for name, old, new in steps:
        if name in ("keep", "substitute", "delete"):
            assert left.pop(0) == old
        else:
            assert name == "insert" and old is None
        if name in ("keep", "substitute", "insert"):
            assert right.pop(0) == new
        else:
            assert new is None
        assert name != "keep" or old == new
        total += prices.get(name, 0)
    assert not left and not right
    assert total == distance_by_definition(a, b, **prices)


@forall(40, said=sentence(1), heard=sentence())
def test_rate(implementation, said, heard):
    rate = implementation.word_error_rate("  ".join(said), "\n".join(heard) + " ")
    assert abs(rate * len(said) - distance_by_definition(said, heard)) < 1e-9


@forall(5, heard=sentence(1))
def test_rate_without_reference(implementation, heard):
    assert implementation.word_error_rate(" ", "") == 0
    for nothing in ("", " \t "):
        try:
            rate = implementation.word_error_rate(nothing, " ".join(heard))
        except ValueError:
            rate = None
        assert rate is None


@forall(4, a=text(), b=text(), prices=costs(1))
def test_negative(implementation, a, b, prices):
    for function in ("edit_distance", "edit_table", "alignment"):
        for name in prices:
            message = None
            try:
                getattr(implementation, function)(a, b, **{**prices, name: -prices[name]})
            except ValueError as error:
                message = str(error)
            assert message is not None and name in message
