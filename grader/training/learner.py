"""The student's own model behind one face. Which classes it is made of, the course says (``data/training.py``)."""

from __future__ import annotations

import types
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol

from grader.course import Course, Exercise
from grader.course.suites import Suite
from grader.errors import GraderError
from grader.training.tasks import Pair
from grader.wire.messages import Load, NameMissing
from grader.worker.executor import Executor, StudentError


class Learner(Protocol):
    """A model and its optimiser: take steps with it, ask it, and see where it looks."""

    model: Any
    optimizer: Any

    def symbols(self) -> tuple[list[str], list[str]]:
        """What the model reads and what it writes, in the order of its vocabularies."""

    def learn(self, batches: Iterable[Sequence[Pair]], step: int, steps: int) -> float:
        """One step for each batch, the first of them with this number; the mean loss per token."""

    def translate(self, sources: Sequence[Sequence[str]]) -> list[list[str]]:
        """The model's answers."""

    def look(self, source: Sequence[str], answer: Sequence[str]) -> Any:
        """Where the model looks: (symbols of the answer and <eos>, symbols of the source and <eos>)."""


def load_student(course: Course, exercise: Exercise, file: Path | None) -> types.ModuleType:
    """The student's module, with what it builds on; here, because it is the student who runs this."""
    files = Suite(course, exercise, hidden=False).student_files(file)
    missing = next((path for path in files.values() if not path.is_file()), None)
    if missing:
        raise GraderError(f"{missing}: not found. Your code for {exercise.name} needs it.")
    sources = {name: (str(path), path.read_bytes()) for name, path in files.items()}
    executor = Executor(Load(name=exercise.name, sources=sources), lambda number, args: None)
    try:
        executor.load()
    except StudentError as error:
        raise explained(error) from error.__cause__
    assert executor.module is not None
    return executor.module


def explained(error: StudentError) -> GraderError:
    failure = error.failure
    if isinstance(failure, NameMissing):
        return GraderError(f"There is no {failure.name!r}.")
    where = f" ({failure.frames[-1]})" if failure.frames else ""
    return GraderError(f"Your code raised {failure.types[0]}{where}: {failure.message}")
