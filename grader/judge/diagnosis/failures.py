"""What is wrong in a submission's failed tests: the answers that a mistake must explain."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from grader.judge.diagnosis.evidence import Key, Witness
from grader.judge.diagnosis.recording import Recording, functions_of
from grader.judge.diagnosis.replay import Clock
from grader.judge.diagnosis.similarity import monotonous
from grader.judge.diagnosis.suspects import Suspects
from grader.wire.messages import Failure

Recordings = Mapping[str, Sequence[Recording]]


class Failures:
    """The failed criteria of a submission, their tests, and each wrong answer in them."""

    def __init__(self, suspects: Suspects, failed: Recordings, passed: Recordings, clock: Clock) -> None:
        tests = [test for found in (failed, passed) for tests in found.values() for test in tests]
        dull = monotonous(tests)
        # The accelerator stays on once it is on, so whoever needs it comes last.
        heard = [
            Witness(id_, test, suspects, dull, clock)
            for simulate in (False, True)
            for id_, tests in failed.items()
            for test in tests
            if test.usable and test.exchanges and test.simulate is simulate
        ]
        heard.sort(key=lambda one: (one.test.simulate, one.seconds))
        self.criteria = tuple(failed)
        self.witnesses = [(place, one) for place, one in enumerate(heard) if one.wrong]
        self.criterion = {(place, number): one.criterion for place, one in self.witnesses for number in one.wrong}
        self.function = {(place, n): one.functions[n] for place, one in self.witnesses for n in one.wrong}
        self.wrong = frozenset(self.criterion)
        self.functions = frozenset(self.function.values())
        self.raised = frozenset(
            (place, n)
            for place, one in self.witnesses
            for n in one.wrong
            if isinstance(one.exchanges[n].outcome, Failure)
        )
        answers = Counter(self.criterion.values())
        self._share = {key: 1 / answers[id_] for key, id_ in self.criterion.items()}
        self.without_answer = frozenset(failed) - answers.keys()  # criteria that look at the way, not at the answer
        self.of_other_functions = frozenset(  # of them those in which nothing is asked that is wrong elsewhere
            id_
            for id_ in self.without_answer
            if not any(self.functions & set(functions_of(test.exchanges)) for test in failed[id_])
        )

    def credit(self, keys: Collection[Key]) -> float:
        """How much of what is wrong these answers are: each criterion counts 1, whatever the number of its tests."""
        return sum(self._share[key] for key in keys)

    def of(self, functions: Collection[str]) -> frozenset[Key]:
        """The wrong answers of these functions."""
        return frozenset(key for key, function in self.function.items() if function in functions)

    def by_function(self, keys: Collection[Key]) -> list[frozenset[Key]]:
        """These answers, function by function."""
        functions = sorted({self.function[key] for key in keys})
        return [self.of([function]) & frozenset(keys) for function in functions]

    def witnesses_of(self, keys: Collection[Key]) -> list[tuple[int, Witness]]:
        """The tests in which these answers came."""
        places = {place for place, _ in keys}
        return [(place, one) for place, one in self.witnesses if place in places]

    def criteria_of(self, keys: Collection[Key]) -> frozenset[str]:
        return frozenset(self.criterion[key] for key in keys)
