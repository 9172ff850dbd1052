"""Differential: every answer is compared with an implementation of my own."""

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


class Mine:
    def edit_table(self, source, target, *, insert=1, delete=1, substitute=1):
        for name, cost in dict(insert=insert, delete=delete, substitute=substitute).items():
            if cost < 0:
                raise ValueError(name)
        m, n = len(source), len(target)
        table = [[0] * (n + 1) for _ in range(m + 1)]
        for i in range(m + 1):
            for j in range(n + 1):
                ways = [0] if i == j == 0 else []
                if i:
                    ways.append(table[i - 1][j] + delete)
                if j:
                    ways.append(table[i][j - 1] + insert)
                if i and j:
                    ways.append(table[i - 1][j - 1] + (source[i - 1] != target[j - 1]) * substitute)
                table[i][j] = min(ways)
        return table

    def edit_distance(self, source, target, **costs):
        return self.edit_table(source, target, **costs)[-1][-1]

    def word_error_rate(self, reference, hypothesis):
        said, heard = reference.split(), hypothesis.split()
        if not said:
            if heard:
                raise ValueError
            return 0.0
        return self.edit_distance(said, heard) / len(said)


MINE = Mine()


def outcome(function, *arguments, **costs):
    """What came out, or which error, with the cost that it names."""
    try:
        return function(*arguments, **costs)
    except ValueError as error:
        return "ValueError", [name for name in costs if name in str(error) and costs[name] < 0]


def close(one, other):
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return abs(one - other) < 1e-9
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(close, one, other))
    return one == other


def some_sequences():
    for letters in ("ab", "aAbB", " a", [None, 0, "", "0", 1, "1"], ["ab", "a", "b"]):
        for _ in range(12):
            two = [random.choices(letters, k=random.choice([0, 1, 2, 4, 7])) for _ in "ab"]
            yield ["".join(s) for s in two] if isinstance(letters, str) else two
    yield "x" * 55, "y"
    yield "yz", "x" * 30 + "y" + "x" * 25


def some_costs():
    return {name: random.choice([0, 1, 2, 0.3, 1.7, 5]) for name in ("insert", "delete", "substitute") if random.random() < 0.7}


def test_same_distance(implementation):
    for source, target in some_sequences():
        for costs in ({}, some_costs()):
            expected = MINE.edit_distance(source, target, **costs)
            assert close(implementation.edit_distance(source, target, **costs), expected)


def test_same_table(implementation):
    for source, target in some_sequences():
        costs = some_costs()
        assert close(implementation.edit_table(source, target, **costs), MINE.edit_table(source, target, **costs))


def test_alignment_costs_the_distance(implementation):
    for source, target in some_sequences():
        costs = some_costs()
        steps = implementation.alignment(source, target, **costs)
        assert [old for name, old, _ in steps if name != "insert"] == list(source)
        assert [new for name, _, new in steps if name != "delete"] == list(target)
        assert all(old is None for name, old, _ in steps if name == "insert")
        assert all(new is None for name, _, new in steps if name == "delete")
        assert all(old == new for name, old, new in steps if name == "keep")
        price = {"insert": 1, "delete": 1, "substitute": 1, "keep": 0, **costs}
        assert close(sum(price[name] for name, _, _ in steps), MINE.edit_distance(source, target, **costs))


def test_same_rate(implementation):
    texts = ["", " ", "a", "a b", "b a", "a  b\nc", "A b c", "a, b", "abc abd abe", "c b a c", "a b c d e f g"]
    for reference in texts:
        for hypothesis in texts:
            found = outcome(implementation.word_error_rate, reference, hypothesis)
            assert close(found, outcome(MINE.word_error_rate, reference, hypothesis))


def test_same_refusals(implementation):
    for name in ("insert", "delete", "substitute"):
        for function in (implementation.edit_distance, implementation.edit_table, implementation.alignment):
            assert outcome(function, "ab", "cd", **{name: -1}) == ("ValueError", [name])
