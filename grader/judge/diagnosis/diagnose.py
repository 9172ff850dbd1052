"""Why a student failed: the smallest set of known mistakes that gives the same answers to the same calls.

A failed test's calls are repeated on the solution, which shows what answers are wrong, and on the solution with a known
mistake in it. First single mistakes are tried: one that gives every wrong answer explains all. If none does, parts are
collected, and two mistakes are tried together in one program. Nothing is said that a passed test contradicts, or that
rests on answers which anything might give. What nothing tells apart is named together. The rest is silence.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations, islice

from grader.judge.diagnosis.evidence import LEAST_SECONDS, TIMES, Trial, Witness, try_on
from grader.judge.diagnosis.recording import Recording, functions_of
from grader.judge.diagnosis.replay import Answer, Clock, OutOfTime, replay
from grader.judge.diagnosis.similarity import ENOUGH, alike, monotonous, same
from grader.judge.diagnosis.suspects import Mistake, Suspects
from grader.judge.processes.events import Diagnosed, Found

ALL_SECONDS = 4.0  # of processor time for a submission; what was found by then is said
ALTERNATIVES = 3  # more of them that nothing tells apart say nothing
PAIRS_OF = 24  # mistakes that are tried two by two
SAMPLE = 0.05  # seconds of the solution's: tests with which parts are looked for
SLOW = 0.1  # seconds: passed tests that took longer are not asked whether they speak against a mistake
STRANGE = 8  # answers of a mistake in one test that speak against it; more say nothing more
QUICK = 0.02  # and those are asked that took less, when it is about a part

Recordings = Mapping[str, Sequence[Recording]]


def diagnose(suspects: Suspects, failed: Recordings, passed: Recordings, deadline: float = math.inf) -> Diagnosed:
    """The mistakes behind the failed criteria; ``deadline``, by time.monotonic, is when the student's time is over."""
    search = _Search(suspects, failed, passed, Clock(ALL_SECONDS, deadline))
    with contextlib.suppress(OutOfTime):
        search.run()
    return search.result()


class _Search:
    """One submission's failures, and what was found out about them so far."""

    def __init__(self, suspects: Suspects, failed: Recordings, passed: Recordings, clock: Clock) -> None:
        self.suspects = suspects
        self.failed = failed
        self.passed = passed
        self.clock = clock
        self.witnesses: list[tuple[int, Witness]] = []
        self.found: list[Found] = []
        self.complete = True  # whether what was found gives every wrong answer

    def result(self) -> Diagnosed:
        """All that is found by now."""
        named = {id_ for found in self.found if not found.likeness for id_ in found.criteria}
        explained = bool(named) and self.complete and named >= self.failed.keys()
        return Diagnosed(tuple(self.found), explained)

    def run(self) -> None:
        self._hear()
        candidates = self._candidates()
        if self.wrong:
            self.complete = False
            self._explain_answers(candidates)
        self._explain_the_rest(candidates)

    def _explain_answers(self, candidates: Sequence[Mistake]) -> None:
        if chosen := self._alternatives(candidates):
            self._name([chosen])
            return
        parts = self._parts(candidates)
        if together := self._pair(parts):
            self._name(together)
        else:
            self._name_parts(parts)

    # What is to be explained

    def _hear(self) -> None:
        """What is wrong in the failed tests; the accelerator stays on once it is on, so whoever needs it comes last."""
        tests = [test for found in (self.failed, self.passed) for tests in found.values() for test in tests]
        dull = monotonous(tests)
        heard = [
            Witness(id_, test, self.suspects, dull, self.clock)
            for simulate in (False, True)
            for id_, tests in self.failed.items()
            for test in tests
            if test.usable and test.exchanges and test.simulate is simulate
        ]
        heard.sort(key=lambda one: (one.test.simulate, one.seconds))
        self.witnesses = list(enumerate(heard))
        self.wrong = frozenset((place, number) for place, one in self.witnesses for number in one.wrong)
        self.spoilt = {self.witnesses[place][1].functions[number] for place, number in self.wrong}
        self.unexplained = {
            id_ for id_ in self.failed if not any(self.witnesses[place][1].criterion == id_ for place, _ in self.wrong)
        }

    def _candidates(self) -> list[Mistake]:
        """Those that a failed criterion is known to catch, the likeliest first."""
        failed = frozenset(self.failed)

        def likely(mistake: Mistake) -> float:
            shared = len(mistake.caught_by & failed)
            return shared / len(mistake.caught_by) + shared / len(failed)

        near = [mistake for mistake in self.suspects.mistakes if mistake.caught_by & failed]
        return sorted(near, key=likely, reverse=True)

    # One mistake that explains everything

    def _alternatives(self, candidates: Iterable[Mistake]) -> tuple[Mistake, ...]:
        """The single mistakes that give every wrong answer; none if there are too many of them."""
        return self._sound([mistake for mistake in candidates if self._explains_all(mistake)])

    def _explains_all(self, mistake: Mistake) -> bool:
        trial = self._try(mistake, only_if_all=True)
        return not trial.contradicted and self.wrong <= trial.agrees.keys() and trial.weight >= ENOUGH

    def _try(
        self, mistake: Mistake, *, only_if_all: bool, sample: Sequence[tuple[int, Witness]] | None = None
    ) -> Trial:
        telling = [(place, one) for place, one in (sample or self.witnesses) if one.wrong or not only_if_all]
        return try_on(self.suspects, mistake.code, telling, self.spoilt, self.clock, only_if_all=only_if_all)

    def _sound(self, fitting: Sequence[Mistake]) -> tuple[Mistake, ...]:
        """Of mistakes that answer alike those that no passed test contradicts; where there are none, those that none
        contradicts in a function in which the student is wrong."""
        objections = [(one, self._objections(one)) for one in fitting[: 4 * ALTERNATIVES]]
        spotless = [one for one, found in objections if not found]
        chosen = spotless or [one for one, found in objections if not found & self.spoilt]
        return self._narrowed(chosen) if chosen else ()

    def _narrowed(self, fitting: Sequence[Mistake]) -> tuple[Mistake, ...]:
        """Those that the criteria without a wrong answer speak for; one for each idea; none if there are too many."""
        best = max(len(mistake.caught_by & self.unexplained) for mistake in fitting)
        kept = [mistake for mistake in fitting if len(mistake.caught_by & self.unexplained) == best]
        ideas = {tuple(map(self.suspects.idea_of, mistake.ids)): mistake for mistake in reversed(kept)}
        chosen = tuple(mistake for mistake in kept if mistake in ideas.values())
        return chosen if len(chosen) <= ALTERNATIVES else ()

    def _objections(self, mistake: Mistake, *, at_a_glance: bool = False) -> frozenset[str]:
        """The functions in which the mistake shows in a test that the student passed: tests that are known to catch it
        come first. The first objection in a function in which the student is wrong is enough."""
        asked = [
            (id_ not in mistake.caught_by, test.seconds, number, test)
            for number, (id_, test) in enumerate((id_, test) for id_, tests in self.passed.items() for test in tests)
            if test.usable and not test.simulate and test.seconds < SLOW
        ]
        if at_a_glance:
            asked = [one for one in asked if not one[0] and one[1] < QUICK]
        found: set[str] = set()
        for *_, test in sorted(asked, key=lambda one: one[:3]):
            found |= self._speaks_against(mistake, test)
            if found & self.spoilt:
                break
        return frozenset(found)

    def _speaks_against(self, mistake: Mistake, test: Recording) -> set[str]:
        functions = functions_of(test.exchanges)
        strange: dict[int, Answer | None] = {}
        objects: set[str] = set()

        def compare(number: int, answer: Answer | None) -> bool:
            outcome = test.exchanges[number].outcome
            if answer is None or not (same(answer, outcome, in_form=False) or alike(answer, outcome)):
                strange[number] = answer
            return len(strange) < STRANGE

        def expect(number: int, answer: Answer | None) -> bool:
            # Where the solution answers as the mistake does, the mistake does not show, and the student was let pass.
            theirs = strange.get(number)
            if number in strange and not (answer and theirs and same(answer, theirs, in_form=False)):
                objects.add(functions[number])
            return number < max(strange)

        limit = max(LEAST_SECONDS, TIMES * test.seconds)
        replay(self.suspects, mistake.code, test, compare, limit, self.clock)
        if strange:
            replay(self.suspects, self.suspects.solution, test, expect, limit, self.clock)
        return objects

    # Parts, and two mistakes at once

    def _parts(self, candidates: Sequence[Mistake]) -> list[tuple[Mistake, Trial]]:
        """Mistakes that show only where the student is wrong, those that explain most first."""
        sample: list[tuple[int, Witness]] = []
        seconds = 0.0
        seen: set[str] = set()
        telling = [(place, one) for place, one in self.witnesses if one.wrong]
        for place, one in sorted(telling, key=lambda entry: (entry[1].criterion in seen, entry[1].seconds)):
            if seconds + one.seconds <= SAMPLE or len(sample) < 2:
                sample.append((place, one))
                seconds += one.seconds
                seen.add(one.criterion)
        parts = []
        for mistake in candidates:
            try:
                trial = self._try(mistake, only_if_all=False, sample=sample)
            except OutOfTime:
                break
            if not trial.contradicted and (trial.agrees or trial.differs):
                parts.append((mistake, trial))
        return sorted(parts, key=lambda part: (-len(part[1].agrees), len(part[1].differs)))

    def _pair(self, parts: Sequence[tuple[Mistake, Trial]]) -> list[tuple[Mistake, ...]]:
        """Two mistakes that give every wrong answer together, each with what cannot be told from it."""
        parts = list(islice((one for one in parts if not self._objections(one[0], at_a_glance=True)), PAIRS_OF))
        everything = {key for _, trial in parts for key in (*trial.agrees, *trial.differs, *trial.missed)}
        fitting: list[tuple[Mistake, Mistake]] = []
        for (one, first), (other, second) in sorted(
            combinations(parts, 2), key=lambda pair: -len(pair[0][1].agrees.keys() | pair[1][1].agrees.keys())
        ):
            shown = first.agrees.keys() | second.agrees.keys() | first.differs | second.differs
            if everything - shown or not (first.agrees or second.agrees):
                continue
            both = self.suspects.together((one, other))
            if both and self._explains_all(both) and self._both_needed(first, second) and not self._objections(both):
                fitting.append((one, other))
                if len(fitting) > ALTERNATIVES:
                    return []
        return self._told_apart(fitting)

    def _both_needed(self, first: Trial, second: Trial) -> bool:
        return bool((first.agrees.keys() | first.differs) and (second.agrees.keys() | second.differs))

    def _told_apart(self, pairs: Sequence[tuple[Mistake, Mistake]]) -> list[tuple[Mistake, ...]]:
        """Pairs as two mistakes with their alternatives: one that all pairs share, and the others."""
        if not pairs:
            return []
        if len(pairs) == 1:
            return [(one,) for one in pairs[0]]
        for shared in pairs[0]:
            if all(shared in pair for pair in pairs):
                rest = self._narrowed([one for pair in pairs for one in pair if one is not shared])
                return [(shared,), rest] if rest else [(shared,)]
        return []

    # What is said

    def _name(self, mistakes: Sequence[tuple[Mistake, ...]]) -> None:
        """All failures are explained by these, each with its alternatives."""
        single = len(mistakes) == 1
        shown = {self.witnesses[place][1].criterion for place, _ in self.wrong}
        for alternatives in mistakes:
            criteria = {id_ for id_ in self.unexplained if any(id_ in one.caught_by for one in alternatives)}
            if single:
                criteria |= shown
            else:
                trial = self._try(alternatives[0], only_if_all=False)
                where = {self.witnesses[place][1].criterion for place, _ in (*trial.agrees, *trial.differs)}
                criteria |= where & shown
            self._add(alternatives, criteria)
        self.complete = True

    def _name_parts(self, parts: Sequence[tuple[Mistake, Trial]]) -> None:
        """What explains a part of the failures: a fact where it gives all that is wrong in a function, and what another
        mistake does elsewhere does not matter; a likeness where it gives all that is wrong in a criterion."""
        functions = self._grouped(lambda place, number: self.witnesses[place][1].functions[number])
        criteria = self._grouped(lambda place, number: self.witnesses[place][1].criterion)
        trials = [(mistake, self._try(mistake, only_if_all=False)) for mistake, rough in parts[:PAIRS_OF]]
        left = set(self.wrong)
        for keys in functions.values():
            fitting = [one for one, trial in trials if _gives(trial, keys)]
            if keys <= left and (chosen := self._sound(fitting)):
                trial = next(trial for one, trial in trials if one is chosen[0])
                self._add(chosen, {id_ for id_, theirs in criteria.items() if theirs & trial.agrees.keys()})
                left -= trial.agrees.keys()
        if self.found:
            return
        steady = [(one, trial) for one, trial in trials if not trial.differs]
        for keys in sorted(criteria.values(), key=len, reverse=True):
            if chosen := self._sound([one for one, trial in steady if _gives(trial, keys)]):
                trial = next(trial for one, trial in trials if one is chosen[0])
                shown = {id_ for id_, theirs in criteria.items() if theirs <= trial.agrees.keys()}
                self._add(chosen, shown, likeness=True)
                return

    def _grouped(self, name_of: Callable[[int, int], str]) -> dict[str, frozenset[tuple[int, int]]]:
        """The wrong answers by what is said of each."""
        found: dict[str, set[tuple[int, int]]] = {}
        for key in sorted(self.wrong):
            found.setdefault(name_of(*key), set()).add(key)
        return {name: frozenset(keys) for name, keys in found.items()}

    def _explain_the_rest(self, candidates: Sequence[Mistake]) -> None:
        """Where all answers are right, a criterion looks at the way: at memory, say, or at what is called. So those
        mistakes are asked for that such criteria catch, and no others."""
        rest = self.unexplained - {id_ for found in self.found for id_ in found.criteria}
        fitting = [mistake for mistake in candidates if rest and mistake.caught_by == rest]
        alternatives = self._sound(fitting)
        if 0 < len(alternatives) < ALTERNATIVES:
            self._add(alternatives, rest)

    def _add(self, alternatives: Sequence[Mistake], criteria: set[str], *, likeness: bool = False) -> None:
        ids = tuple(id_ for mistake in alternatives for id_ in mistake.ids)
        self.found.append(
            Found(mistakes=ids, criteria=tuple(id_ for id_ in self.failed if id_ in criteria), likeness=likeness)
        )


def _gives(trial: Trial, keys: frozenset[tuple[int, int]]) -> bool:
    """Whether a mistake gives these wrong answers, and that it does says something."""
    weighed = sum(weight for key, weight in trial.agrees.items() if key in keys)
    return not trial.contradicted and keys <= trial.agrees.keys() and weighed >= ENOUGH
