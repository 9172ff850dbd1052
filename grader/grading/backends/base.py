"""What every backend offers to a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Protocol, Self

from grader.grading.tasks import Work
from grader.results.records import ExerciseResult


class Backend(Protocol):
    """Judges works. It is opened once per run, and stays warm until it is closed."""

    def judge(self, works: Sequence[Work]) -> Iterator[tuple[Work, ExerciseResult]]:
        """Each work with its result, as soon as it is ready, in any order."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """End everything that it started: in order, or at once after an error."""
