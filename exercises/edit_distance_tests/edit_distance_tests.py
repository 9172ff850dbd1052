"""Tests for any edit distance: properties that every right implementation has, and that no wrong one should have.

Write functions `test_…(implementation)` that raise an AssertionError where an implementation is wrong. What they may
ask is in the class `Implementation`; they never see its code. `run` and `Implementation` are complete: leave them.
"""

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


def test_edit_distance(implementation: Implementation) -> None:
    """The first of your tests. Rename it, and write others beside it: one property, one function."""
    raise NotImplementedError("test_edit_distance is yours to write")
