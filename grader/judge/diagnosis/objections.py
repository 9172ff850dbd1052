"""What passed tests say against a mistake: that it would have shown there."""

from __future__ import annotations

from collections.abc import Callable, Collection
from types import CodeType

from grader.judge.diagnosis.failures import Recordings
from grader.judge.diagnosis.recording import Recording, functions_of
from grader.judge.diagnosis.replay import Answer, Clock, limit_of, replay
from grader.judge.diagnosis.similarity import alike, same
from grader.judge.diagnosis.suspects import Mistake, Suspects
from grader.wire.messages import Failure

SLOW = 0.1  # seconds: passed tests that took longer are not asked
STRANGE = 8  # answers of a mistake in one test that speak against it; more say nothing more
DRAWS = 2  # passed tests, slow ones too, from which it is learnt whether a function draws
LOOKS = 4  # passed tests from which it is learnt whether a function has several right answers


class Objections:
    """The passed tests of one submission; what they say is found out when it is asked for, once."""

    def __init__(self, suspects: Suspects, passed: Recordings, functions: Collection[str], clock: Clock) -> None:
        self.suspects = suspects
        self.functions = frozenset(functions)  # in which the student is wrong
        self.clock = clock
        self.all = sorted(
            (
                (id_, test)
                for id_, tests in passed.items()
                for test in tests
                if test.usable and test.exchanges and not test.simulate
            ),
            key=lambda entry: entry[1].seconds,
        )
        self.tests = [(id_, test) for id_, test in self.all if test.seconds < SLOW]
        self._found: dict[tuple[tuple[str, ...], bool], frozenset[str]] = {}
        self._loose: dict[str, bool] = {}
        self._draws: dict[tuple[str, tuple[str, ...]], bool] = {}

    def to(self, mistake: Mistake, *, but_raising: bool = False) -> frozenset[str]:
        """The functions in which the mistake shows in a passed test: the tests that are known to catch it come first,
        and the first objection in a function in which the student is wrong is enough. With ``but_raising`` exceptions
        do not count: the edit of the solution may raise them, and the student's program not."""
        if (mistake.ids, but_raising) not in self._found:
            found: set[str] = set()
            for id_, test in sorted(self.tests, key=lambda entry: entry[0] not in mistake.caught_by):
                against = self._against(mistake, test, but_raising=but_raising)
                found |= {name for name in against if id_ in mistake.caught_by or not self.is_loose(name)}
                if found & self.functions:
                    break
            self._found[mistake.ids, but_raising] = frozenset(found)
        return self._found[mistake.ids, but_raising]

    def is_loose(self, function: str) -> bool:
        """Whether it has several right answers: one that passed is not the solution's."""
        if function not in self._loose:
            asked = [test for _, test in self.tests if function in functions_of(test.exchanges)]
            self._loose[function] = any(self._differs(function, self.suspects.solution, test) for test in asked[:LOOKS])
        return self._loose[function]

    def draws(self, function: str, mistake: Mistake) -> bool:
        """Whether it draws, and the student draws otherwise: an answer that passed is not what the solution with the
        student's mistake gives."""
        if (function, mistake.ids) not in self._draws:
            asked = [test for _, test in self.all if function in functions_of(test.exchanges)][:DRAWS]
            self._draws[function, mistake.ids] = any(self._differs(function, mistake.code, test) for test in asked)
        return self._draws[function, mistake.ids]

    def _differs(self, function: str, code: CodeType, test: Recording) -> bool:
        functions = functions_of(test.exchanges)
        differs = []

        def compare(number: int, answer: Answer | None) -> bool:
            if functions[number] == function and answer is not None:
                differs.append(not same(answer, test.exchanges[number].outcome, in_form=False))
            return not any(differs)

        self._replay(code, test, compare)
        return any(differs)

    def _against(self, mistake: Mistake, test: Recording, *, but_raising: bool) -> set[str]:
        functions = functions_of(test.exchanges)
        strange: dict[int, Answer | None] = {}
        objects: set[str] = set()

        def compare(number: int, answer: Answer | None) -> bool:
            outcome = test.exchanges[number].outcome
            if but_raising and isinstance(answer, Failure):
                return True
            if answer is None or not (same(answer, outcome, in_form=False) or alike(answer, outcome)):
                strange[number] = answer
            return len(strange) < STRANGE

        def expect(number: int, answer: Answer | None) -> bool:
            # Where the solution answers as the mistake does, the mistake does not show, and the student was let pass.
            theirs = strange.get(number)
            if number in strange and not (answer and theirs and same(answer, theirs, in_form=False)):
                objects.add(functions[number])
            return number < max(strange)

        self._replay(mistake.code, test, compare)
        if strange:
            self._replay(self.suspects.solution, test, expect)
        return objects

    def _replay(self, code: CodeType, test: Recording, go_on: Callable[[int, Answer | None], bool]) -> None:
        replay(self.suspects, code, test, go_on, limit_of(test.seconds), self.clock)
