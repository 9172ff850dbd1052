"""Why a student failed: the smallest set of known mistakes that gives the same wrong answers to the same calls.

A failed test's calls are repeated on the solution, which shows what answers are wrong, and on the solution with a known
mistake in it. A mistake explains everything if it is wrong wherever the student is, mostly in the same way, and nowhere
else. If there is none, one is looked for that explains what is wrong in a function, and two are tried together in one
program. What nothing tells apart is named together. The rest is silence.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Collection, Iterable, Sequence
from itertools import combinations

from grader.judge.diagnosis.evidence import Key, Trial, try_on
from grader.judge.diagnosis.failures import Failures, Recordings
from grader.judge.diagnosis.fits import CLEARLY, MOST, NEARLY, STRONG, Fit, fit_of
from grader.judge.diagnosis.objections import Objections
from grader.judge.diagnosis.replay import Clock, OutOfTime
from grader.judge.diagnosis.similarity import ALTERNATIVES, ENOUGH
from grader.judge.diagnosis.suspects import Mistake, Suspects
from grader.judge.processes.events import Diagnosed, Found

ALL_SECONDS = 5.0  # of processor time for a submission; what was found by then is said
TRIALS = 0.6  # of it for trying one mistake after the other
ALIKE = 0.75  # once one gives everything, only those are tried that are nearly as likely
PAIRS = 40  # so many are tried at most
LIKENESSES = 20  # and so many mistakes of which one may be what it looks like
HARDLY = 0.02  # differences in credit that say nothing

Chosen = tuple[Fit, ...]  # mistakes that nothing tells apart


def diagnose(suspects: Suspects, failed: Recordings, passed: Recordings, deadline: float = math.inf) -> Diagnosed:
    """The mistakes behind the failed criteria; ``deadline``, by time.monotonic, is when the student's time is over."""
    clock = Clock(ALL_SECONDS, deadline)
    try:
        failures = Failures(suspects, failed, passed, clock)
    except OutOfTime:
        return Diagnosed((), explained=False)
    search = _Search(suspects, failures, Objections(suspects, passed, failures.functions, clock), clock)
    with contextlib.suppress(OutOfTime):
        search.run()
    return search.result()


class _Search:
    """One submission's failures, and what was found out about them so far."""

    def __init__(self, suspects: Suspects, failures: Failures, objections: Objections, clock: Clock) -> None:
        self.suspects = suspects
        self.failures = failures
        self.objections = objections
        self.clock = clock
        self.trials: dict[tuple[str, ...], Trial] = {}
        self.found: list[Found] = []
        self.given: set[Key] = set()  # wrong answers that what was found gives

    def result(self) -> Diagnosed:
        """All that is found by now."""
        named = {id_ for found in self.found if not found.likeness for id_ in found.criteria}
        explained = bool(named) and self.given >= self.failures.wrong and named >= set(self.failures.criteria)
        return Diagnosed(tuple(self.found), explained)

    def run(self) -> None:
        candidates = self._candidates()
        if self.failures.wrong:
            self._explain_answers(candidates)
        if self.given >= self.failures.wrong:
            self._explain_the_way(candidates)

    def _explain_answers(self, candidates: Sequence[Mistake]) -> None:
        near = self._near(candidates)
        single = self._best(near, self.failures.wrong, MOST)
        named = [single] if single else self._by_function(near)
        given = self._given(named)
        if given != self.failures.wrong:
            with contextlib.suppress(OutOfTime):
                pair, together = self._pair(candidates, NEARLY if named else CLEARLY)
                named, given = (pair, together) if pair else (named, given)
        if named:
            self._name(named)
            self.given |= given
        else:
            self._liken(near)

    def _given(self, named: Sequence[Chosen]) -> frozenset[Key]:
        """The wrong answers that these mistakes give."""
        fits = [self._fit(chosen[0].mistake, self.failures.wrong) for chosen in named]
        return frozenset().union(*(fit.agrees for fit in fits))

    def _candidates(self) -> list[Mistake]:
        """Those that a failed criterion is known to catch, the likeliest first."""
        near = [mistake for mistake in self.suspects.mistakes if self._likely(mistake)]
        return sorted(near, key=self._likely, reverse=True)

    def _likely(self, mistake: Mistake) -> float:
        """How well what is known to catch it agrees with what failed, 0 to 2."""
        shared = len(mistake.caught_by & set(self.failures.criteria))
        return shared / len(mistake.caught_by) + shared / len(self.failures.criteria)

    # How well mistakes fit

    def _near(self, candidates: Iterable[Mistake]) -> list[Mistake]:
        """Those that give some wrong answer, those that give most first."""
        clock = self.clock.part(TRIALS)
        least = 0.0
        with contextlib.suppress(OutOfTime):  # the likeliest were tried
            for mistake in candidates:
                if self._likely(mistake) < least:
                    break
                self.trials[mistake.ids] = try_on(self.suspects, mistake.code, self.failures.witnesses, clock)
                fit = self._fit(mistake, self.failures.wrong)
                if fit.explains(1.0) and fit.strong:
                    least = max(least, ALIKE * self._likely(mistake))
        tried = [(mistake, self.trials[mistake.ids]) for mistake in candidates if mistake.ids in self.trials]
        near = [mistake for mistake, trial in tried if trial.agrees]
        return sorted(near, key=lambda mistake: -self.failures.credit(self.trials[mistake.ids].agrees))

    def _try(self, mistake: Mistake) -> Trial:
        if mistake.ids not in self.trials:
            self.trials[mistake.ids] = try_on(self.suspects, mistake.code, self.failures.witnesses, self.clock)
        return self.trials[mistake.ids]

    def _fit(self, mistake: Mistake, keys: frozenset[Key]) -> Fit:
        trial = self._try(mistake)
        against = (trial.against | trial.raises) & self.failures.functions
        loose = {name for name in against if self.objections.is_loose(name)}
        return fit_of(self.failures, mistake, trial, loose, keys)

    def _best(self, mistakes: Iterable[Mistake], keys: frozenset[Key], share: float) -> Chosen:
        """Those that explain these answers best, and that no passed test speaks against; none if there are many."""
        fits = [fit for mistake in mistakes if (fit := self._fit(mistake, keys)).explains(share)]
        while fits:
            most = max(fit.credit for fit in fits)
            best = [fit for fit in fits if fit.credit >= most - HARDLY]
            if chosen := self._narrowed([fit for fit in best if self._is_sound(fit)]):
                return chosen if len(chosen) <= ALTERNATIVES else ()
            fits = [fit for fit in fits if fit not in best]
        return ()

    def _is_sound(self, fit: Fit) -> bool:
        functions = {self.failures.function[key] for key in fit.agrees}
        return not self.objections.to(fit.mistake, but_raising=fit.strong) & functions

    def _narrowed(self, fits: Sequence[Fit]) -> Chosen:
        """Of mistakes that give the same those that suit best what failed and what passed; one for each idea."""

        def suits(fit: Fit) -> tuple[int, int, int]:
            silent = fit.mistake.caught_by & self.failures.without_answer
            return (-len(self.objections.to(fit.mistake)), len(silent), len(fit.touched))

        best = max(map(suits, fits), default=None)
        kept = [fit for fit in fits if suits(fit) == best]
        ideas = {tuple(map(self.suspects.idea_of, fit.mistake.ids)): fit for fit in reversed(kept)}
        return tuple(fit for fit in kept if fit in ideas.values())

    # Several mistakes

    def _by_function(self, near: Sequence[Mistake]) -> list[Chosen]:
        """For a function in which the student is wrong a mistake that explains it, and then the next. The student may
        have the mistake in one place only. But where it shows, too, another one is not looked for."""
        found: list[Chosen] = []
        left = self.failures.wrong
        while left:
            functions = sorted({self.failures.function[key] for key in left})
            explained = [
                chosen
                for function in functions
                if (chosen := self._best(near, self.failures.of([function]) & left, CLEARLY))
                and not chosen[0].raises_only
            ]
            if not explained:
                break
            found.append(max(explained, key=lambda chosen: self._fit(chosen[0].mistake, left).credit))
            left -= found[-1][0].agrees | self.failures.of(
                self._try(found[-1][0].mistake).shows_in(self.failures.function)
            )
        return found

    def _pair(self, candidates: Sequence[Mistake], share: float) -> tuple[list[Chosen], frozenset[Key]]:
        """Two mistakes that give the wrong answers together, each with what cannot be told from it; and what they give.
        Where the one does not give an answer by itself, the other must show, too."""
        wrong = self.failures.wrong
        tried = [self._fit(mistake, wrong) for mistake in candidates if mistake.ids in self.trials]
        parts = sorted((fit for fit in tried if fit.touched), key=lambda fit: -fit.credit)
        pairs = [
            (one, other)
            for one, other in combinations(parts, 2)
            if one.agrees and (wrong - one.agrees <= other.touched or wrong - other.agrees <= one.touched)
        ]
        pairs.sort(key=lambda pair: -self.failures.credit(pair[0].agrees | pair[1].agrees))
        fitting: list[tuple[Fit, Fit, Fit]] = []
        for one, other in pairs[:PAIRS]:
            both = self.suspects.together((one.mistake, other.mistake))
            if both is None or len(fitting) > ALTERNATIVES:
                continue
            self.trials[both.ids] = try_on(
                self.suspects, both.code, self.failures.witnesses, self.clock, lambda trial: self._fails(trial, share)
            )
            fit = self._fit(both, wrong)
            needed = all(self._weighs(both, fit.agrees - alone.agrees) for alone in (one, other))
            if needed and fit.explains(share) and self._is_sound(fit):
                fitting.append((fit, one, other))
        most = max((fit.credit for fit, _, _ in fitting), default=0)
        best = [entry for entry in fitting if entry[0].credit >= most - HARDLY]
        named = self._told_apart([(one, other) for _, one, other in best])
        # Where only one of the two can be named, what the other gives is not explained.
        return named, best[0][0].agrees if len(named) == 2 else self._given(named)

    def _fails(self, trial: Trial, share: float) -> bool:
        """Whether two mistakes together cannot give enough any more."""
        lost = self.failures.credit(trial.differs)
        return bool(trial.missed) or lost > (1 - share) * self.failures.credit(self.failures.wrong)

    def _weighs(self, mistake: Mistake, keys: Collection[Key]) -> bool:
        """Whether it says enough that the mistake gives these answers."""
        return sum(self._try(mistake).agrees[key] for key in keys) >= ENOUGH

    def _told_apart(self, pairs: Sequence[tuple[Fit, Fit]]) -> list[Chosen]:
        """Pairs as two mistakes with their alternatives: one that all pairs share, and the others."""
        if len(pairs) == 1:
            return [(fit,) for fit in pairs[0]]
        for shared in pairs[0] if pairs else ():
            if all(shared in pair for pair in pairs):
                rest = self._narrowed([fit for pair in pairs for fit in pair if fit is not shared])
                return [(shared,), rest] if len(rest) <= ALTERNATIVES else [(shared,)]
        return []

    # What is said

    def _name(self, mistakes: Sequence[Chosen]) -> None:
        """These are facts, each with its alternatives."""
        for alternatives in mistakes:
            fit = self._fit(alternatives[0].mistake, self.failures.wrong)
            self._add(alternatives, self.failures.criteria_of(fit.touched | alternatives[0].touched))

    def _liken(self, near: Sequence[Mistake]) -> None:
        """What it looks like: the one idea that gives a good part of what is wrong, and much more than any other."""
        fits = [self._fit(mistake, self.failures.wrong) for mistake in near]
        most = max((fit.credit for fit in fits), default=0)
        best = [fit for fit in fits if fit.credit > most * MOST and fit.weight >= STRONG]
        chosen = self._narrowed([fit for fit in best[:LIKENESSES] if self._is_sound(fit)])
        if len(chosen) == 1:
            self._add(chosen, self.failures.criteria_of(chosen[0].agrees), likeness=True)

    def _explain_the_way(self, candidates: Sequence[Mistake]) -> None:
        """Where all answers are right, a criterion looks at the way: at memory, say, or at what is called. So those
        mistakes are asked for that such criteria catch, and no others."""
        rest = self.failures.of_other_functions - {id_ for found in self.found for id_ in found.criteria}
        fits = [self._fit(one, frozenset()) for one in candidates if rest and one.caught_by == rest]
        alternatives = self._narrowed([fit for fit in fits if not self.objections.to(fit.mistake)])
        if 0 < len(alternatives) < ALTERNATIVES:
            self._add(alternatives, rest)

    def _add(self, alternatives: Chosen, criteria: Collection[str], *, likeness: bool = False) -> None:
        ids = tuple(id_ for fit in alternatives for id_ in fit.mistake.ids)
        silent = {id_ for id_ in self.failures.without_answer if any(id_ in f.mistake.caught_by for f in alternatives)}
        shown = tuple(id_ for id_ in self.failures.criteria if id_ in criteria or id_ in silent)
        self.found.append(Found(mistakes=ids, criteria=shown, likeness=likeness))
