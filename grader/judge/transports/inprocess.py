"""The student's code in this very process: fast, and ``pdb`` works. For a student's own code only."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from grader.judge.outcomes import StudentFailure, absent, no_file, raised
from grader.wire.executor import Executor, StudentError
from grader.wire.messages import Absent, Call, Reply


class InProcessTransport:
    """Runs an executor here."""

    def __init__(self, exercise: str, files: Mapping[str, Path]) -> None:
        self.file = f"{exercise}.py"
        self.files = files  # module name -> file
        self.exercise = exercise
        self.executor: Executor | None = None

    def load(self) -> None:
        try:
            sources = {name: (str(path), path.read_bytes()) for name, path in self.files.items() if path.is_file()}
        except OSError as error:
            raise no_file(self.file) from error
        if self.exercise not in sources:
            raise no_file(self.file)
        executor = Executor(self.exercise, sources)
        try:
            executor.load()
        except StudentError as error:
            raise self._explain(error) from error.__cause__
        self.executor = executor

    def seed(self, seed: int) -> None:
        """Nothing to do: student and judge share the generators, which the judge has seeded."""

    def call(self, call: Call) -> Reply:
        assert self.executor is not None, "load() comes first"
        try:
            return self.executor.call(call)
        except StudentError as error:
            raise self._explain(error) from error.__cause__

    def _explain(self, error: StudentError) -> StudentFailure:
        if isinstance(error.failure, Absent):
            return absent(error.failure, self.file)
        return raised(error.failure, self.file)
