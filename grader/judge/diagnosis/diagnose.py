"""Why a student failed: the smallest set of known mistakes that gives the same wrong answers to the same calls.

A failed test's calls are repeated on the solution, which shows what answers are wrong, and on the solution with a known
mistake in it. A mistake explains everything if it is wrong wherever the student is, mostly in the same way, and nowhere
else. If there is none, one is looked for that explains what is wrong in a function, and what it leaves is a problem of
its own: another mistake is put beside it into the same program. If nothing can be the first, two are tried together.
What nothing tells apart is named together. The rest is silence.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Collection, Iterable, Sequence
from itertools import combinations

import msgspec

from grader.judge.diagnosis.evidence import Key, Trial, try_on
from grader.judge.diagnosis.failures import Failures, Recordings
from grader.judge.diagnosis.fits import CLEARLY, MOST, NEARLY, STRONG, Fit, fails_the_same
from grader.judge.diagnosis.objections import Objections
from grader.judge.diagnosis.replay import Clock, OutOfTime
from grader.judge.diagnosis.selection import HARDLY, Chosen, Selection
from grader.judge.diagnosis.similarity import ALTERNATIVES, ENOUGH
from grader.judge.diagnosis.suspects import Mistake, Suspects
from grader.judge.processes.events import Diagnosed, Found

ALL_SECONDS = 5.0  # of processor time for a submission; what was found by then is said
TRIALS = 0.6  # of it for trying one mistake after the other
ALIKE = 0.75  # once one gives everything, only those are tried that are nearly as likely
HALF = 0.5  # of the criteria that are known to catch a mistake must have failed
PAIRS = 40  # so many are tried at most
LIKENESSES = 20  # and so many mistakes of which one may be what it looks like


class Part(msgspec.Struct, frozen=True):
    """A mistake that is named, with what nothing tells from it."""

    alternatives: Chosen
    agrees: frozenset[Key]  # the wrong answers that it gives, beside those that were named before
    touched: frozenset[Key]  # and all that it has to do with

    @property
    def mistake(self) -> Mistake:
        return self.alternatives[0].mistake


def diagnose(suspects: Suspects, failed: Recordings, passed: Recordings, deadline: float = math.inf) -> Diagnosed:
    """The mistakes behind the failed criteria; ``deadline``, by time.monotonic, is when the student's time is over."""
    clock = Clock(ALL_SECONDS, deadline)
    try:
        failures = Failures(suspects, failed, passed, clock)
    except OutOfTime:
        return Diagnosed((), explained=False)
    search = _Search(Selection(suspects, failures, Objections(suspects, passed, failures.functions, clock), clock))
    with contextlib.suppress(OutOfTime):
        search.run()
    return search.result()


class _Search:
    """One submission's failures, and what was found out about them so far."""

    def __init__(self, selection: Selection) -> None:
        self.selection = selection
        self.suspects = selection.suspects
        self.failures = selection.failures
        self.clock = selection.clock
        self.found: list[Found] = []
        self.given: frozenset[Key] = frozenset()  # wrong answers that what was found gives

    def result(self) -> Diagnosed:
        """All that is found by now."""
        named = {id_ for found in self.found if not found.likeness for id_ in found.criteria}
        explained = bool(named) and self.given >= self.failures.wrong and named >= set(self.failures.criteria)
        return Diagnosed(tuple(self.found), explained)

    def run(self) -> None:
        candidates = self._likeliest(self.suspects.mistakes, self.failures.criteria)
        if self.failures.wrong:
            self._explain_answers(candidates)
        if self.given >= self.failures.wrong:
            self._explain_the_way(candidates)

    def _explain_answers(self, candidates: Sequence[Mistake]) -> None:
        near = self._near(candidates)
        named: list[Part] = []
        with contextlib.suppress(OutOfTime):
            if single := self.selection.best(self._fits(near, self.failures.wrong), MOST):
                named.append(self._part(single))
            while (left := self.failures.wrong - _given(named)) and (part := self._next(named, near, candidates, left)):
                named.append(part)
            if left:
                named = self._pair(candidates, NEARLY if named else CLEARLY) or named
        self.given = _given(named)
        for part in named:
            self._add(part.alternatives, self.failures.criteria_of(part.touched))
        if not named:
            self._liken(near)

    # How well mistakes fit

    def _likeliest(self, mistakes: Iterable[Mistake], criteria: Collection[str]) -> list[Mistake]:
        """Those that one of these criteria is known to catch, the likeliest first; not those of which most of the
        criteria that are known to catch them were passed."""
        failed = set(self.failures.criteria)
        near = [
            mistake
            for mistake in mistakes
            if mistake.caught_by & set(criteria) and len(mistake.caught_by & failed) >= HALF * len(mistake.caught_by)
        ]
        return sorted(near, key=lambda mistake: -_likely(mistake, criteria))

    def _near(self, candidates: Iterable[Mistake]) -> list[Mistake]:
        """Those that give some wrong answer, those that give most first."""
        clock = self.clock.part(TRIALS)
        trials = self.selection.trials
        least = 0.0
        with contextlib.suppress(OutOfTime):  # the likeliest were tried
            for mistake in candidates:
                likely = _likely(mistake, self.failures.criteria)
                if likely < least:
                    break
                trials[mistake.ids] = try_on(self.suspects, mistake.code, self.failures.witnesses, clock)
                fit = self.selection.fit(mistake, self.failures.wrong)
                if fit.explains(1.0) and (fit.strong or fit.exact):
                    least = max(least, ALIKE * likely)
        near = [mistake for mistake in candidates if mistake.ids in trials and trials[mistake.ids].agrees]
        return sorted(near, key=lambda mistake: -self.failures.credit(trials[mistake.ids].agrees))

    def _fits(self, mistakes: Iterable[Mistake], keys: frozenset[Key]) -> list[Fit]:
        return [self.selection.fit(mistake, keys) for mistake in mistakes]

    def _part(self, chosen: Chosen) -> Part:
        fit = self.selection.fit(chosen[0].mistake, self.failures.wrong)
        return Part(chosen, fit.agrees, fit.touched | chosen[0].touched)

    # Several mistakes

    def _next(
        self, named: Sequence[Part], near: Sequence[Mistake], candidates: Sequence[Mistake], left: frozenset[Key]
    ) -> Part | None:
        """A mistake that explains what is left in a function."""
        return (self._beside(named, candidates, left) if named else None) or self._apart(named, near, left)

    def _apart(self, named: Sequence[Part], near: Sequence[Mistake], left: frozenset[Key]) -> Part | None:
        """It is found by itself. The student may have made what is named in one place only. But where that shows, too,
        another one is not looked for."""
        for part in named:
            left -= self.failures.of(self.selection.trial(part.mistake).shows_in(self.failures.function))
        explained = [
            chosen
            for keys in self.failures.by_function(left)
            if (chosen := self.selection.best(self._fits(near, keys), CLEARLY)) and _is_fact(chosen[0], left)
        ]
        if not explained:
            return None
        return self._part(max(explained, key=lambda chosen: self.selection.fit(chosen[0].mistake, left).credit))

    def _beside(self, named: Sequence[Part], candidates: Sequence[Mistake], left: frozenset[Key]) -> Part | None:
        """It is found in one program with those that are named, and on those tests only that have something left: what
        shows in slow tests alone has not been looked for yet."""
        known = [part.mistake for part in named]
        ideas = {self.suspects.idea_of(id_) for mistake in known for id_ in mistake.ids}
        given = _given(named)
        clock = self.clock.part(TRIALS)
        witnesses = self.failures.witnesses_of(left)
        criteria = self.failures.criteria_of(left)
        trials: list[tuple[Mistake, Trial]] = []
        least = 0.0
        with contextlib.suppress(OutOfTime):
            for mistake in self._likeliest(candidates, criteria):
                likely = _likely(mistake, criteria)
                if likely < least:
                    break
                together = self.suspects.together((*known, mistake))
                if not together or self.suspects.idea_of(mistake.ids[0]) in ideas:
                    continue
                trial = try_on(self.suspects, together.code, witnesses, clock, lambda trial: self._is_lost(trial, left))
                if trial.agrees.keys() & left and not (trial.differs | trial.missed) & given:
                    trials.append((mistake, trial))
                    fit = self.selection.fit_of(mistake, trial, left, beside=True)
                    if fit.explains(1.0) and fit.weight >= ENOUGH:
                        least = max(least, ALIKE * likely)

        def fits(keys: frozenset[Key]) -> list[Fit]:
            return [self.selection.fit_of(mistake, trial, keys, beside=True) for mistake, trial in trials]

        explained = [
            chosen
            for keys in self.failures.by_function(left)
            if (chosen := self.selection.best(fits(keys), CLEARLY))
            and _is_fact(chosen[0], left)
            and (len(named) == 1 or chosen[0].exact)
            and (not chosen[0].raises_only or chosen[0].agrees <= self.selection.trial(chosen[0].mistake).agrees.keys())
        ]
        if not explained:
            return None
        of_left = {fit.mistake.ids: fit for fit in fits(left)}
        chosen = max(explained, key=lambda one: (one[0].exact, of_left[one[0].mistake.ids].credit))
        fit = of_left[chosen[0].mistake.ids]
        return Part(chosen, fit.agrees, fit.touched | chosen[0].touched)

    def _is_lost(self, trial: Trial, left: frozenset[Key]) -> bool:
        """Whether a program can explain no function of what is left any more."""
        return all(
            keys & trial.missed
            or self.failures.credit(keys & trial.differs) > (1 - CLEARLY) * self.failures.credit(keys)
            for keys in self.failures.by_function(left)
        )

    def _pair(self, candidates: Sequence[Mistake], share: float) -> list[Part]:
        """Two mistakes that give the wrong answers together, each with what cannot be told from it. Where the one does
        not give an answer by itself, the other must show, too."""
        wrong = self.failures.wrong
        tried = self._fits((one for one in candidates if one.ids in self.selection.trials), wrong)
        parts = sorted((fit for fit in tried if fit.touched), key=lambda fit: -fit.credit)
        pairs = [
            (one, other)
            for one, other in combinations(parts, 2)
            if one.agrees and (wrong - one.agrees <= other.touched or wrong - other.agrees <= one.touched)
        ]
        pairs.sort(key=lambda pair: -self.failures.credit(pair[0].agrees | pair[1].agrees))
        fitting: list[tuple[Fit, Fit, Fit]] = []
        with contextlib.suppress(OutOfTime):  # the likeliest were tried
            for one, other in pairs[:PAIRS]:
                both = self.suspects.together((one.mistake, other.mistake))
                if both is None or len(fitting) > ALTERNATIVES:
                    continue
                self.selection.trials[both.ids] = try_on(
                    self.suspects, both.code, self.failures.witnesses, self.clock,
                    lambda trial: self._fails(trial, share),
                )  # fmt: skip
                fit = self.selection.fit(both, wrong)
                needed = self._is_needed(one, other, fit) and self._is_needed(other, one, fit)
                if needed and fit.explains(share) and self.selection.is_sound(fit):
                    fitting.append((fit, one, other))
        most = max((fit.credit for fit, _, _ in fitting), default=0)
        best = [entry for entry in fitting if entry[0].credit >= most - HARDLY]
        named = self._told_apart([(one, other) for _, one, other in best])
        # Where only one of the two can be named, what the other gives is not explained.
        given = best[0][0].agrees if len(named) == 2 else frozenset()
        return [Part(part.alternatives, part.agrees | given, part.touched) for part in map(self._part, named)]

    def _fails(self, trial: Trial, share: float) -> bool:
        """Whether two mistakes together cannot give enough any more."""
        lost = self.failures.credit(trial.differs)
        return bool(trial.missed) or lost > (1 - share) * self.failures.credit(self.failures.wrong)

    def _is_needed(self, one: Fit, other: Fit, both: Fit) -> bool:
        """Whether it says enough that two mistakes give what the other by itself does not."""
        keys = both.agrees - other.agrees
        trial = self.selection.trial(both.mistake)
        weight = sum(trial.agrees[key] for key in keys)
        exact = both.agrees == self.failures.wrong and fails_the_same(self.failures, one.mistake, keys, beside=True)
        return weight >= ENOUGH or (exact and weight > 0)

    def _told_apart(self, pairs: Sequence[tuple[Fit, Fit]]) -> list[Chosen]:
        """Pairs as two mistakes with their alternatives: one that all pairs share, and the others."""
        if len(pairs) == 1:
            return [(fit,) for fit in pairs[0]]
        for shared in pairs[0] if pairs else ():
            if all(shared in pair for pair in pairs):
                rest = self.selection.narrowed([fit for pair in pairs for fit in pair if fit is not shared])
                return [(shared,), rest] if len(rest) <= ALTERNATIVES else [(shared,)]
        return []

    # What is said

    def _liken(self, near: Sequence[Mistake]) -> None:
        """What it looks like: the one idea that gives a good part of what is wrong, and much more than any other."""
        fits = self._fits(near, self.failures.wrong)
        most = max((fit.credit for fit in fits), default=0)
        best = [fit for fit in fits if fit.credit > most * MOST and fit.weight >= STRONG]
        chosen = self.selection.narrowed([fit for fit in best[:LIKENESSES] if self.selection.is_sound(fit)])
        if len(chosen) == 1:
            self._add(chosen, self.failures.criteria_of(chosen[0].agrees), likeness=True)

    def _explain_the_way(self, candidates: Sequence[Mistake]) -> None:
        """Where all answers are right, a criterion looks at the way: at memory, say, or at what is called. So those
        mistakes are asked for that such criteria catch, and no others."""
        rest = self.failures.of_other_functions - {id_ for found in self.found for id_ in found.criteria}
        fits = self._fits((one for one in candidates if rest and one.caught_by == rest), frozenset())
        alternatives = self.selection.narrowed([fit for fit in fits if not self.selection.objections.to(fit.mistake)])
        if 0 < len(alternatives) < ALTERNATIVES:
            self._add(alternatives, rest)

    def _add(self, alternatives: Chosen, criteria: Collection[str], *, likeness: bool = False) -> None:
        ids = tuple(id_ for fit in alternatives for id_ in fit.mistake.ids)
        silent = {id_ for id_ in self.failures.without_answer if any(id_ in f.mistake.caught_by for f in alternatives)}
        shown = tuple(id_ for id_ in self.failures.criteria if id_ in criteria or id_ in silent)
        self.found.append(Found(mistakes=ids, criteria=shown, likeness=likeness))


def _likely(mistake: Mistake, criteria: Collection[str]) -> float:
    """How well what is known to catch it agrees with what failed, 0 to 2."""
    shared = len(mistake.caught_by & set(criteria))
    return shared / len(mistake.caught_by) + shared / len(criteria)


def _is_fact(fit: Fit, left: frozenset[Key]) -> bool:
    """Whether what explains a part may be named: it fits exactly, or does not only raise there; and it says something
    that it agrees, or explains all that is left."""
    return (fit.exact or not fit.raises_only) and (fit.weight >= 1 or fit.agrees == left)


def _given(named: Iterable[Part]) -> frozenset[Key]:
    """The wrong answers that mistakes give."""
    return frozenset().union(*(part.agrees for part in named))
