"""How a class is graded: one record that every step of a run reads."""

from __future__ import annotations

import msgspec

from grader.course import Course, Exercise
from grader.results.schema import Confinement
from grader.sandbox.layers import Layers


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """How a class is graded."""

    course: Course
    exercises: tuple[Exercise, ...]
    seed: str  # hidden inputs are drawn from it
    jobs: int
    layers: Layers | None  # None: unconfined
    quick: bool = False  # leave out criteria that train a model
    diagnose: bool = False  # look for the known mistakes that explain failures

    @property
    def confinement(self) -> Confinement:
        """For the results: how student code is confined in this run."""
        if self.layers is None:
            return Confinement(level="process")
        reasons = msgspec.structs.asdict(self.layers)
        return Confinement(level=self.layers.level, layers={name: why or None for name, why in reasons.items()})
