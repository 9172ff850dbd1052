"""How well a known mistake fits what is wrong."""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from grader.judge.diagnosis.evidence import Key, Trial
from grader.judge.diagnosis.failures import Failures
from grader.judge.diagnosis.similarity import ENOUGH
from grader.judge.diagnosis.suspects import Mistake

MOST = 0.5  # of what is wrong a mistake gives so much, if it explains all
CLEARLY = 0.75  # and so much if it is named for a part, or with another one
NEARLY = 0.9  # and so much if it is named as the only one without a look at others
STRONG = 3 * ENOUGH  # weight


class Fit(msgspec.Struct, frozen=True, kw_only=True):
    """A mistake, or two in one program, beside the wrong answers of a submission, or some of them."""

    mistake: Mistake
    agrees: frozenset[Key]
    differs: frozenset[Key]
    missed: frozenset[Key]
    weight: float  # how much it says that it agrees
    credit: float  # what it gives of all that is wrong, by criteria
    share: float  # and of those answers that it is to explain
    lacks: float  # of those the share that it gives right
    raises_only: bool  # whether all that it gives are exceptions
    exact: bool  # whether it gives all of that, and is known to fail the same criteria

    @property
    def touched(self) -> frozenset[Key]:
        """What the mistake has to do with: it makes these answers wrong."""
        return self.agrees | self.differs

    def explains(self, share: float) -> bool:
        """Whether it is wrong wherever the student is, mostly in the same way. If it only raises as the student's
        code does, it must do so nearly everywhere: shapes that do not fit say little about why. Where much agrees, a
        little may be right: the same mistake in another program may raise there."""
        share = max(share, NEARLY) if self.raises_only else share
        everywhere = not self.missed or (self.strong and self.lacks <= 1 - NEARLY)
        return everywhere and self.share >= share and (self.weight >= ENOUGH or self.exact)

    @property
    def strong(self) -> bool:
        """Whether so much agrees that it does not matter where its edit of the solution makes it raise."""
        return self.share >= CLEARLY and self.weight >= STRONG

    @property
    def certain(self) -> bool:
        """Whether much agrees, everywhere, and the criteria that are known to catch it are those that failed: what
        passed need not be asked."""
        return self.exact and self.strong


def fit_of(
    failures: Failures, mistake: Mistake, trial: Trial, loose: Collection[str], keys: frozenset[Key], *, beside: bool
) -> Fit:
    """How a mistake fits these answers. In a function in which it is wrong where the student is right, the student has
    not made it, unless the function has several right answers (``loose``)."""
    fit = _fit(failures, mistake, trial, failures.of(trial.against - set(loose)), keys, beside=beside)
    against = failures.of((trial.against | trial.raises) - set(loose))
    return fit if fit.strong else _fit(failures, mistake, trial, against, keys, beside=beside)


def _fit(
    failures: Failures, mistake: Mistake, trial: Trial, against: frozenset[Key], keys: frozenset[Key], *, beside: bool
) -> Fit:
    agrees = frozenset(trial.agrees.keys() & keys) - against
    missed = frozenset(trial.missed | against) & keys
    weight = sum(trial.agrees[key] for key in agrees)
    whole = max(failures.credit(keys), 1e-9)
    return Fit(
        mistake=mistake,
        agrees=agrees,
        differs=frozenset(trial.differs & keys) - against,
        missed=missed,
        weight=weight,
        credit=failures.credit(agrees),
        share=failures.credit(agrees) / whole,
        lacks=failures.credit(missed) / whole,
        raises_only=agrees <= failures.raised,
        exact=agrees == keys and weight > 0 and fails_the_same(failures, mistake, keys, beside=beside),
    )


def fails_the_same(failures: Failures, mistake: Mistake, keys: Collection[Key], *, beside: bool) -> bool:
    """Whether a mistake is known to fail the criteria of these answers, and no others that the student passed.
    ``beside`` another mistake it may be hidden in some that failed for both."""
    criteria = failures.criteria_of(keys)
    if beside:
        return criteria <= mistake.caught_by <= set(failures.criteria)
    return mistake.caught_by - failures.without_answer == criteria
