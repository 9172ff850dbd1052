"""The student's code in this very process: fast, and ``pdb`` works. For a student's own code only."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from grader.judge.callbacks import Callbacks
from grader.judge.outcomes import StudentFailure, absent, no_file, raised
from grader.manifest import Exercise
from grader.wire.codec import CodecError, as_sent
from grader.wire.executor import Executor, StudentError
from grader.wire.messages import Absent, Call, Load, Reply
from grader.wire.worker import not_sent, simulate_accelerator


class InProcessTransport:
    """Runs an executor here."""

    def __init__(self, exercise: Exercise, files: Mapping[str, Path]) -> None:
        self.file = f"{exercise.name}.py"
        self.files = files  # module name -> file
        self.exercise = exercise
        self.executor: Executor | None = None
        self.callbacks = Callbacks()

    @property
    def source(self) -> str:
        path = self.files[self.exercise.name]
        return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""

    def load(self, *, simulate: bool) -> None:
        if simulate:
            simulate_accelerator()
        if self.executor is not None:
            return
        try:
            sources = {name: (str(path), path.read_bytes()) for name, path in self.files.items() if path.is_file()}
        except OSError as error:
            raise no_file(self.file) from error
        if self.exercise.name not in sources:
            raise no_file(self.file)
        load = Load(name=self.exercise.name, sources=sources, forbidden=self.exercise.forbidden)
        executor = Executor(load, lambda number, args: self.callbacks.answer_here(number, args))
        try:
            executor.load()
        except StudentError as error:
            raise self._explain(error) from error.__cause__
        self.executor = executor

    def call(self, call: Call, callbacks: Callbacks) -> Reply:
        assert self.executor is not None, "load() comes first"
        self.callbacks = callbacks
        call = msgspec.structs.replace(call, seed=None)  # we share the generators, which the judge has seeded
        try:
            return as_sent(self.executor.call(as_sent(call)))
        except StudentError as error:
            raise self._explain(error) from error.__cause__
        except CodecError as error:
            raise raised(not_sent(error), self.file) from error

    def _explain(self, error: StudentError) -> StudentFailure:
        if isinstance(error.failure, Absent):
            return absent(error.failure, self.file)
        return raised(error.failure, self.file)
