"""Several mistakes in one program: one after the other, or two at once."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from itertools import combinations

import msgspec

from grader.judge.diagnosis.evidence import Key, Trial, try_on
from grader.judge.diagnosis.fits import CLEARLY, Fit, fails_the_same
from grader.judge.diagnosis.replay import OutOfTime
from grader.judge.diagnosis.selection import ALIKE, HARDLY, TRIALS, Chosen, Selection, likely
from grader.judge.diagnosis.similarity import ALTERNATIVES, ENOUGH
from grader.judge.diagnosis.suspects import Mistake

PAIRS = 40  # so many are tried at most


class Part(msgspec.Struct, frozen=True):
    """A mistake that is named, with what nothing tells from it."""

    alternatives: Chosen
    agrees: frozenset[Key]  # the wrong answers that it gives, beside those that were named before
    touched: frozenset[Key]  # and all that it has to do with

    @property
    def mistake(self) -> Mistake:
        return self.alternatives[0].mistake


def given(named: Iterable[Part]) -> frozenset[Key]:
    """The wrong answers that mistakes give."""
    return frozenset().union(*(part.agrees for part in named))


class Several:
    """Looks for the mistakes behind one submission's failures where one mistake does not give all."""

    def __init__(self, selection: Selection, candidates: Sequence[Mistake], near: Sequence[Mistake]) -> None:
        self.selection = selection
        self.failures = selection.failures
        self.suspects = selection.suspects
        self.candidates = candidates
        self.near = near  # candidates that give some wrong answer by themselves

    def part(self, chosen: Chosen) -> Part:
        fit = self.selection.fit(chosen[0].mistake, self.failures.wrong)
        return Part(chosen, fit.agrees, fit.touched | chosen[0].touched)

    def left(self, named: Sequence[Part]) -> frozenset[Key]:
        """The wrong answers that another mistake must explain."""
        left = self.failures.wrong - given(named)
        for part in named:
            left = self._open(left, part.mistake)
        return left

    def add_to(self, named: list[Part]) -> None:
        """Add a mistake that explains what is left in a function, and then the next."""
        while left := self.left(named):
            part = (self._beside(named, left) if named else None) or self._apart(named, left)
            if not part and not named and self.selection.has_cut:
                self.near = self.selection.look_again(self.candidates)
                part = self._apart(named, left)
            if not part:
                break
            named.append(part)

    def _open(self, keys: frozenset[Key], mistake: Mistake) -> frozenset[Key]:
        """Those that a mistake leaves open. Where its numbers are nearly the student's, in a function that draws, the
        student drew otherwise, and nothing is left to explain."""
        close = self.selection.trial(mistake).close & keys
        functions = {self.failures.function[key] for key in close}
        draw = {function for function in functions if self.selection.objections.draws(function, mistake)}
        return keys - (self.failures.of(draw) & close)

    # One after the other

    def _apart(self, named: Sequence[Part], left: frozenset[Key]) -> Part | None:
        """The next one, found by itself. The student may have made what is named in one place only. But where that
        shows, too, another one is not looked for."""
        for part in named:
            left -= self.failures.of(self.selection.trial(part.mistake).shows_in(self.failures.function))
        explained = [
            chosen
            for keys in self.failures.by_function(left)
            if (chosen := self.selection.best(self.selection.fits(self.near, keys), CLEARLY))
            and _is_fact(chosen[0], left)
        ]
        if not explained:
            return None
        return self.part(max(explained, key=lambda chosen: self.selection.fit(chosen[0].mistake, left).credit))

    def _beside(self, named: Sequence[Part], left: frozenset[Key]) -> Part | None:
        """The next one, found in one program with those that are named."""
        trials = self._tried_beside(named, left)

        def fits(keys: frozenset[Key]) -> list[Fit]:
            return [self.selection.fit_of(mistake, trial, keys, beside=True) for mistake, trial in trials]

        explained = [
            chosen
            for keys in self.failures.by_function(left)
            if (chosen := self.selection.best(fits(keys), CLEARLY))
            and _is_fact(chosen[0], left)
            and self._raises_itself(chosen[0])
            and (len(named) == 1 or chosen[0].exact)  # a third one is hardly ever there
        ]
        if not explained:
            return None
        of_left = {fit.mistake.ids: fit for fit in fits(left)}
        chosen = max(explained, key=lambda one: (one[0].exact, of_left[one[0].mistake.ids].credit))
        fit = of_left[chosen[0].mistake.ids]
        return Part(chosen, fit.agrees, fit.touched | chosen[0].touched)

    def _tried_beside(self, named: Sequence[Part], left: frozenset[Key]) -> list[tuple[Mistake, Trial]]:
        """Those that give something of what is left, and spoil nothing that is explained. They are tried on the tests
        that have something left, on all of these: a mistake that shows in slow tests alone was not noticed yet."""
        known = [part.mistake for part in named]
        ideas = {self.suspects.idea_of(id_) for mistake in known for id_ in mistake.ids}
        explained = given(named)
        witnesses, criteria = self.failures.witnesses_of(left), self.failures.criteria_of(left)
        clock = self.selection.clock.part(TRIALS)
        trials = []
        least = 0.0
        with contextlib.suppress(OutOfTime):  # the likeliest were tried
            for mistake in self.selection.likeliest(self.candidates, criteria):
                if likely(mistake, criteria) < least:
                    break
                together = self.suspects.together((*known, mistake))
                if not together or self.suspects.idea_of(mistake.ids[0]) in ideas:
                    continue
                trial = try_on(self.suspects, together.code, witnesses, clock, lambda trial: self._is_lost(trial, left))
                if trial.agrees.keys() & left and not (trial.differs | trial.missed) & explained:
                    trials.append((mistake, trial))
                    fit = self.selection.fit_of(mistake, trial, left, beside=True)
                    if fit.explains(1.0) and fit.weight >= ENOUGH:
                        least = max(least, ALIKE * likely(mistake, criteria))
        return trials

    def _is_lost(self, trial: Trial, left: frozenset[Key]) -> bool:
        """Whether a program can explain no function of what is left any more."""
        return all(
            keys & trial.missed
            or self.failures.credit(keys & trial.differs) > (1 - CLEARLY) * self.failures.credit(keys)
            for keys in self.failures.by_function(left)
        )

    def _raises_itself(self, fit: Fit) -> bool:
        """Whether exceptions are its own: in one program with another mistake it may lead to where that one raises."""
        return not fit.raises_only or fit.agrees <= self.selection.trial(fit.mistake).agrees.keys()

    # Two at once

    def pair(self, share: float) -> list[Part]:
        """Two mistakes that give the wrong answers together, each with what cannot be told from it. Where the one does
        not give an answer by itself, the other must show, too."""
        wrong = self.failures.wrong
        fitting: list[tuple[Fit, Fit, Fit]] = []
        with contextlib.suppress(OutOfTime):  # the likeliest were tried
            for one, other in self._pairs()[:PAIRS]:
                both = self.suspects.together((one.mistake, other.mistake))
                if both is None or len(fitting) > ALTERNATIVES:
                    continue
                self.selection.trials[both.ids] = try_on(
                    self.suspects, both.code, self.failures.witnesses, self.selection.clock,
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
        agrees = best[0][0].agrees if len(named) == 2 else frozenset()
        return [Part(part.alternatives, part.agrees | agrees, part.touched) for part in map(self.part, named)]

    def _pairs(self) -> list[tuple[Fit, Fit]]:
        """Those that may give all that is wrong, the likeliest first."""
        wrong = self.failures.wrong
        tried = self.selection.fits((one for one in self.candidates if one.ids in self.selection.trials), wrong)
        parts = sorted((fit for fit in tried if fit.touched), key=lambda fit: -fit.credit)
        pairs = [
            (one, other)
            for one, other in combinations(parts, 2)
            if one.agrees and (wrong - one.agrees <= other.touched or wrong - other.agrees <= one.touched)
        ]
        return sorted(pairs, key=lambda pair: -self.failures.credit(pair[0].agrees | pair[1].agrees))

    def _fails(self, trial: Trial, share: float) -> bool:
        """Whether two mistakes together cannot give enough any more."""
        lost = self.failures.credit(trial.differs)
        return bool(trial.missed) or lost > (1 - share) * self.failures.credit(self.failures.wrong)

    def _is_needed(self, one: Fit, other: Fit, both: Fit) -> bool:
        """Whether it says enough that two mistakes give what the other by itself does not."""
        keys = self._open(both.agrees - other.agrees, other.mistake)
        agrees = self.selection.trial(both.mistake).agrees
        weight = sum(agrees[key] for key in keys)
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


def _is_fact(fit: Fit, left: frozenset[Key]) -> bool:
    """Whether what explains a part may be named: it fits exactly, or does not only raise there; and it says something
    that it agrees, or explains all that is left."""
    return (fit.exact or not fit.raises_only) and (fit.weight >= 1 or fit.agrees == left)
