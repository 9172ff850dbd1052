"""The student's code in this very process: fast, and ``pdb`` works. For a student's own code only."""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec
import pytest

from grader.course import Exercise
from grader.judge.transports.callbacks import Callbacks
from grader.judge.transports.findings import ask_survey, check_survey
from grader.judge.transports.outcomes import (
    StudentFailure,
    base_name,
    in_notebook,
    name_missing,
    no_file,
    raised,
    shown_file,
    timed_out,
    unusable,
)
from grader.wire.codec import CodecError, as_sent
from grader.wire.messages import Call, Load, NameMissing, Reply, Surveyed
from grader.worker.executor import Executor, StudentError
from grader.worker.loop import not_sent, simulate_accelerator
from grader.worker.source import find_mentions, survey

MAX_CHAIN = 20  # exceptions that led to each other
NOT_THEIRS = (pytest.fail.Exception, pytest.skip.Exception, pytest.exit.Exception)  # a test's, a debugger's, an alarm's


class InProcessTransport:
    """Runs an executor here."""

    def __init__(
        self,
        exercise: Exercise,
        sources: Mapping[str, tuple[str, bytes]],
        *,
        problem: str = "",
        wanted: tuple[str, ...] = (),
        interruptible: bool = True,
    ) -> None:
        self.file = shown_file(exercise.name, sources)
        self.sources = dict(sources)  # module name -> (file name, text)
        self.exercise = exercise
        self.problem = problem  # why the files cannot be used, if so
        self.wanted = wanted  # the names that the exercise asks for
        self.interruptible = interruptible  # whether somebody may press Ctrl-C; else only the student's code does that
        self.absent = False
        self.executor: Executor | None = None
        self.callbacks = Callbacks()

    def look(self, names: tuple[str, ...]) -> list[tuple[str, int]]:
        return find_mentions(self.sources.get(self.exercise.name, ("", b""))[1], names, self.wanted)

    def survey(self) -> tuple[Surveyed, ...]:
        asked = ask_survey(self.exercise.name, self.sources, self.wanted)
        return check_survey(msgspec.to_builtins(survey(asked)), asked.sources)

    def load(self, *, simulate: bool) -> None:
        if self.problem:
            raise unusable(self.problem)
        if simulate:
            simulate_accelerator()
        if self.executor is not None:
            return
        if self.exercise.name not in self.sources:
            raise no_file(self.file)
        load = Load(
            name=self.exercise.name, sources=self.sources, forbidden=self.exercise.forbidden, wanted=self.wanted
        )
        executor = Executor(load, lambda number, args: self.callbacks.answer_here(number, args), self._passes_on)
        try:
            executor.load()
        except StudentError as error:
            raise self._explain(error) from error.__cause__
        except pytest.fail.Exception as alarm:  # pytest-timeout's
            raise timed_out("Importing your module", place_of(alarm, self.sources)) from alarm
        self.executor = executor
        self.absent = executor.absent

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

    def close(self) -> None:
        """The module stays loaded: in one process there is no fresh worker to be had."""

    def _passes_on(self, error: BaseException) -> bool:
        return isinstance(error, NOT_THEIRS) or (self.interruptible and isinstance(error, KeyboardInterrupt))

    def _explain(self, error: StudentError) -> StudentFailure:
        if isinstance(error.failure, NameMissing):
            return name_missing(error.failure, self.file)
        return raised(error.failure, self.file, self.sources, believed=True)


def read_files(files: Mapping[str, Path]) -> dict[str, tuple[str, bytes]]:
    """The sources in these files, named by their paths, where a debugger finds them; what is not there is left out."""
    return {name: (str(path), path.read_bytes()) for name, path in files.items() if path.is_file()}


def place_of(error: BaseException, sources: Mapping[str, tuple[str, bytes]]) -> str:
    """Where the student's code was when this was raised, as ``ctc.py:35 in f``; empty if it was not at work.

    An alarm that was caught rings again: the first one tells where the loop is.
    """
    contents = dict(sources.values())
    inside = [
        frames[-1]
        for step in chain_of(error)
        if (frames := [tb for tb in steps_of(step) if tb.tb_frame.f_code.co_filename in contents])
        and (isinstance(step, pytest.fail.Exception) or step is error)
    ]
    if not inside:
        return ""
    code = inside[-1].tb_frame.f_code
    function = "" if code.co_name == "<module>" else f" in {code.co_name}"
    line = f"{base_name(code.co_filename)}:{inside[-1].tb_lineno}{function}"
    return in_notebook(line, {base_name(name): text for name, text in contents.items()})


def chain_of(error: BaseException) -> Iterator[BaseException]:
    """The exception and those from which it came."""
    step: BaseException | None = error
    for _ in range(MAX_CHAIN):
        if step is None:
            return
        yield step
        step = step.__cause__ or step.__context__


def steps_of(error: BaseException) -> Iterator[types.TracebackType]:
    trace = error.__traceback__
    while trace is not None:
        yield trace
        trace = trace.tb_next
