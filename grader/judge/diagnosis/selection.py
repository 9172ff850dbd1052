"""Of known mistakes those that fit best what is wrong: each is tried once, and passed tests are heard."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterable, Sequence

from grader.judge.diagnosis.evidence import Key, Trial, try_on
from grader.judge.diagnosis.failures import Failures
from grader.judge.diagnosis.fits import MOST, Fit, fit_of
from grader.judge.diagnosis.objections import Objections
from grader.judge.diagnosis.replay import Clock, OutOfTime
from grader.judge.diagnosis.similarity import ALTERNATIVES
from grader.judge.diagnosis.suspects import Mistake, Suspects

TRIALS = 0.6  # of the time that is left, for trying one mistake after the other
ALIKE = 0.75  # once one gives everything, only those are tried that are nearly as likely
SURE = 2.0  # how likely a mistake is that is known to fail what failed, and nothing else
HALF = 0.5  # of the criteria that are known to catch a mistake must have failed
HARDLY = 0.02  # differences in credit that say nothing

Chosen = tuple[Fit, ...]  # mistakes that nothing tells apart


class Selection:
    """The mistakes that were tried on one submission's failures, and how they fit."""

    def __init__(self, suspects: Suspects, failures: Failures, objections: Objections, clock: Clock) -> None:
        self.suspects = suspects
        self.failures = failures
        self.objections = objections
        self.clock = clock
        self.trials: dict[tuple[str, ...], Trial] = {}

    def likeliest(self, mistakes: Iterable[Mistake], criteria: Collection[str]) -> list[Mistake]:
        """Those that one of these criteria is known to catch, the likeliest first; not those of which most of the
        criteria that are known to catch them were passed."""
        failed = set(self.failures.criteria)
        near = [
            mistake
            for mistake in mistakes
            if mistake.caught_by & set(criteria) and len(mistake.caught_by & failed) >= HALF * len(mistake.caught_by)
        ]
        return sorted(near, key=lambda mistake: -likely(mistake, criteria))

    def near(self, candidates: Sequence[Mistake]) -> list[Mistake]:
        """Those that give some wrong answer, those that give most first."""
        clock = self.clock.part(TRIALS)
        least = 0.0
        with contextlib.suppress(OutOfTime):  # the likeliest were tried
            for mistake in candidates:
                chance = likely(mistake, self.failures.criteria)
                if chance < least:
                    break
                self.trials[mistake.ids] = try_on(self.suspects, mistake.code, self.failures.witnesses, clock)
                fit = self.fit(mistake, self.failures.wrong)
                if fit.certain:
                    least = chance
                elif (fit.explains(1.0) and (fit.strong or fit.exact)) or (
                    chance == SURE and fit.explains(MOST) and fit.strong
                ):
                    least = max(least, ALIKE * chance)
        return self._nearest(candidates)

    @property
    def has_cut(self) -> bool:
        """Whether a mistake was not tried in slow tests."""
        return any(trial.cut for trial in self.trials.values())

    def look_again(self, candidates: Sequence[Mistake]) -> list[Mistake]:
        """The same, after all have been tried in slow tests too."""
        clock = self.clock.part(TRIALS)
        with contextlib.suppress(OutOfTime):
            for mistake in candidates:
                if mistake.ids in self.trials and self.trials[mistake.ids].cut:
                    trial = try_on(self.suspects, mistake.code, self.failures.witnesses, clock, lambda trial: False)
                    self.trials[mistake.ids] = trial
        return self._nearest(candidates)

    def _nearest(self, candidates: Sequence[Mistake]) -> list[Mistake]:
        near = [mistake for mistake in candidates if mistake.ids in self.trials and self.trials[mistake.ids].agrees]
        return sorted(near, key=lambda mistake: -self.failures.credit(self.trials[mistake.ids].agrees))

    def trial(self, mistake: Mistake) -> Trial:
        if mistake.ids not in self.trials:
            self.trials[mistake.ids] = try_on(self.suspects, mistake.code, self.failures.witnesses, self.clock)
        return self.trials[mistake.ids]

    def fit(self, mistake: Mistake, keys: frozenset[Key]) -> Fit:
        """How a mistake by itself fits these answers."""
        return self.fit_of(mistake, self.trial(mistake), keys)

    def fits(self, mistakes: Iterable[Mistake], keys: frozenset[Key]) -> list[Fit]:
        return [self.fit(mistake, keys) for mistake in mistakes]

    def fit_of(self, mistake: Mistake, trial: Trial, keys: frozenset[Key], *, beside: bool = False) -> Fit:
        against = (trial.against | trial.raises) & self.failures.functions
        loose = {name for name in against if self.objections.is_loose(name)}
        return fit_of(self.failures, mistake, trial, loose, keys, beside=beside)

    def best(self, fits: Iterable[Fit], share: float) -> Chosen:
        """Those that explain this share best, and that no passed test speaks against; none if there are many."""
        left = [fit for fit in fits if fit.explains(share)]
        while left:
            most = max(fit.credit for fit in left)
            best = [fit for fit in left if fit.credit >= most - HARDLY]
            if chosen := self.narrowed([fit for fit in best if self.is_sound(fit)]):
                return chosen if len(chosen) <= ALTERNATIVES else ()
            left = [fit for fit in left if fit not in best]
        return ()

    def is_sound(self, fit: Fit) -> bool:
        functions = {self.failures.function[key] for key in fit.agrees}
        return fit.certain or not self.objections.to(fit.mistake, but_raising=fit.strong) & functions

    def narrowed(self, fits: Sequence[Fit]) -> Chosen:
        """Of mistakes that give the same those that suit best what failed and what passed; one for each idea."""

        def suits(fit: Fit) -> tuple[int, int, int]:
            silent = fit.mistake.caught_by & self.failures.without_answer
            return (-len(self.objections.to(fit.mistake)), len(silent), len(fit.touched))

        if len(fits) <= 1:
            return tuple(fits)
        best = max(map(suits, fits))
        kept = [fit for fit in fits if suits(fit) == best]
        ideas = {tuple(map(self.suspects.idea_of, fit.mistake.ids)): fit for fit in reversed(kept)}
        return tuple(fit for fit in kept if fit in ideas.values())


def likely(mistake: Mistake, criteria: Collection[str]) -> float:
    """How well what is known to catch it agrees with these criteria: 0 to ``SURE``."""
    shared = len(mistake.caught_by & set(criteria))
    return shared / len(mistake.caught_by) + shared / len(criteria)
