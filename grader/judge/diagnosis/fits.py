"""How well a known mistake fits what is wrong."""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from grader.judge.diagnosis.evidence import Key, Trial
from grader.judge.diagnosis.failures import Failures
from grader.judge.diagnosis.similarity import ENOUGH
from grader.judge.diagnosis.suspects import Mistake


class Fit(msgspec.Struct, frozen=True, kw_only=True):
    """A mistake, or two in one program, beside the wrong answers of a submission, or some of them."""

    mistake: Mistake
    agrees: frozenset[Key]
    differs: frozenset[Key]
    missed: frozenset[Key]
    weight: int  # how much it says that it agrees
    credit: float  # what it gives of all that is wrong, by criteria
    share: float  # and of those answers that it is to explain

    @property
    def touched(self) -> frozenset[Key]:
        """What the mistake has to do with: it makes these answers wrong."""
        return self.agrees | self.differs

    def explains(self, share: float) -> bool:
        """Whether it is wrong wherever the student is, and mostly in the same way."""
        return not self.missed and self.share >= share and self.weight >= ENOUGH


def fit_of(failures: Failures, mistake: Mistake, trial: Trial, loose: Collection[str], keys: frozenset[Key]) -> Fit:
    """How a mistake fits these answers. In a function in which it is wrong where the student is right, the student has
    not made it, unless the function has several right answers (``loose``)."""
    against = failures.of(trial.against - set(loose))
    agrees = (trial.agrees.keys() & keys) - against
    differs = (trial.differs & keys) - against
    return Fit(
        mistake=mistake,
        agrees=agrees,
        differs=differs,
        missed=(trial.missed | against) & keys,
        weight=sum(trial.agrees[key] for key in agrees),
        credit=failures.credit(agrees),
        share=failures.credit(agrees) / max(failures.credit(keys), 1e-9),
    )
