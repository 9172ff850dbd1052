"""What every transport offers to the judge."""

from __future__ import annotations

from typing import Protocol

from grader.course import Exercise
from grader.judge.transports.callbacks import Callbacks
from grader.wire.messages import Call, Reply, Surveyed


class Transport(Protocol):
    """Reaches one student's module of one exercise. Failures are raised as ``StudentFailure``."""

    exercise: Exercise
    sources: dict[str, tuple[str, bytes]]  # module name -> (file name, text)
    problem: str  # why the sources cannot be used, if so
    absent: bool  # the module, once loaded, says that it imports something which is not installed

    def survey(self) -> tuple[Surveyed, ...]:
        """What can be read in the student's own files without running them; nothing if that fails."""

    def look(self, names: tuple[str, ...]) -> list[tuple[str, int]]:
        """Where the student's main module mentions these names; an empty name if it cannot be read."""

    def load(self, *, simulate: bool) -> None:
        """Import the student's module, unless that is done, with the simulated accelerator or without."""

    def call(self, call: Call, callbacks: Callbacks) -> Reply:
        """Perform a call and bring its result back as plain data; the student's code may call us back."""

    def close(self) -> None:
        """End the worker, if there is one; the next call gets a fresh one."""
