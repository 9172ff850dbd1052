"""Which known mistake a student's answers in the public tests are: by the wrong answers that students are given.

There is no solution here to compare with. So the student's code must have given each wrong answer of the mistake where
the mistake gives it, its tests must have ended at the same calls, and it must pass no test that the mistake fails.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from typing import Any

from grader.course.known_mistakes import KnownMistake, KnownMistakes, WrongTest
from grader.judge.diagnosis.fingerprints import agree, fingerprints
from grader.judge.diagnosis.recording import Recording, functions_of
from grader.judge.diagnosis.similarity import ALTERNATIVES, ENOUGH
from grader.judge.processes.events import Diagnosed, Found

Tests = Mapping[str, Sequence[Sequence[tuple[str, dict[str, Any]]]]]  # criterion -> tests -> (function, answer)


def answers_of(recordings: Mapping[str, Sequence[Recording]]) -> Tests:
    """What was asked and answered in each test, as data."""
    return {
        id_: [
            [
                (function, fingerprints(exchange.outcome))
                for function, exchange in zip(functions_of(test.exchanges), test.exchanges, strict=True)
            ]
            for test in tests
        ]
        for id_, tests in recordings.items()
    }


def recognise(known: KnownMistakes, answers: Tests, failed: Collection[str]) -> Diagnosed:
    """One mistake that gives all failures, or two that share them, or what a part of them looks like."""
    shown = [
        (mistake, given)
        for mistake in known.mistakes
        if mistake.criteria.keys() & answers.keys() <= set(failed) and (given := _given(mistake, answers, failed))
    ]
    if single := [mistake for mistake, given in shown if given >= set(failed)]:
        chosen = _alternatives(single)
        return Diagnosed((_found(chosen, failed),) if chosen else (), explained=bool(chosen))
    pairs = [
        (one, other)
        for one, other in combinations(shown, 2)
        if one[1] | other[1] >= set(failed) and not one[1] & other[1]
    ]
    if len(pairs) == 1:
        return Diagnosed(tuple(_found([mistake], given) for mistake, given in pairs[0]), explained=True)
    if not shown or pairs:
        return Diagnosed((), explained=False)
    most = max(len(given) for _, given in shown)
    chosen = _alternatives([mistake for mistake, given in shown if len(given) == most])
    explained = {id_ for mistake, given in shown if mistake in chosen for id_ in given}
    likeness = bool(_last_functions(answers, set(failed) - explained) & _functions(chosen, explained))
    return Diagnosed((_found(chosen, explained, likeness=likeness),) if chosen else (), explained=False)


def _given(mistake: KnownMistake, answers: Tests, failed: Collection[str]) -> frozenset[str]:
    """The failed criteria in which the student's code answers as the mistake does; none where that says too little, or
    where it answers otherwise in any of them."""
    given, weight = set(), 0
    for id_, tests in mistake.criteria.items():
        if id_ not in failed or id_ not in answers:
            continue
        theirs = answers[id_]
        weights = [_weight(test, theirs[test.number]) if test.number < len(theirs) else None for test in tests]
        if not all(one is not None for one in weights):
            return frozenset()
        given.add(id_)
        weight += sum(filter(None, weights))
    return frozenset(given) if weight >= ENOUGH else frozenset()


def _weight(test: WrongTest, theirs: Sequence[tuple[str, dict[str, Any]]]) -> int | None:
    """How much it says that a test went as it goes with the mistake; None if it did not."""
    if len(theirs) != test.calls:
        return None
    for wrong in test.wrong:
        function, parts = theirs[wrong.call]
        if function != wrong.function:
            return None
        if not all(name in parts and agree(parts[name], part) for name, part in wrong.parts.items()):
            return None
    return sum(wrong.weight for wrong in test.wrong)


def _alternatives(mistakes: Sequence[KnownMistake]) -> list[KnownMistake]:
    """One for each idea; none if there are too many."""
    chosen = {mistake.idea or mistake.id: mistake for mistake in reversed(mistakes)}
    return list(chosen.values())[::-1] if len(chosen) <= ALTERNATIVES else []


def _found(mistakes: Sequence[KnownMistake], criteria: Collection[str], *, likeness: bool = False) -> Found:
    ids = tuple(mistake.id for mistake in mistakes)
    return Found(mistakes=ids, criteria=tuple(sorted(criteria)), likeness=likeness)


def _functions(mistakes: Sequence[KnownMistake], criteria: Collection[str]) -> set[str]:
    tests = [test for mistake in mistakes for id_ in criteria for test in mistake.criteria.get(id_, ())]
    return {wrong.function for test in tests for wrong in test.wrong}


def _last_functions(answers: Tests, criteria: Collection[str]) -> set[str]:
    """What was called last in these criteria: there a test ends that fails."""
    return {test[-1][0] for id_ in criteria for test in answers.get(id_, ()) if test}
