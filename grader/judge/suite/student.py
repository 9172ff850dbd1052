"""The student's module as a test sees it: ``student.edit_distance("ab", "ba")``."""

from __future__ import annotations

import hashlib
import math
import time
from collections import Counter
from collections.abc import Callable
from functools import cached_property
from typing import Any

import msgspec
import pytest

from grader.judge.diagnosis.recording import Recording, no_answer, objection
from grader.judge.processes.events import Imported, Importing
from grader.judge.transports.base import Transport
from grader.judge.transports.callbacks import Callbacks
from grader.judge.transports.findings import WITHOUT_EXCEPTION, describe_notes, describe_problem
from grader.judge.transports.outcomes import StudentFailure, not_reached, out_of_budget, timed_out
from grader.results.records import Verdict
from grader.wire.messages import Call, Failure, Handle, Reply, Surveyed
from grader.wire.notebook import cell_at, is_notebook

MAX_TIMEOUTS = 2  # a function that ran out of time so often is not called again


class Session:
    """One submission's way through a suite: remembers what could not be loaded, and what timed out."""

    def __init__(self, transport: Transport, budget: float = math.inf, deadline: float = math.inf) -> None:
        self.transport = transport
        self.budget = budget  # seconds for all tests together
        self.deadline = deadline  # when they are used up, by time.monotonic
        self.timeouts: Counter[str] = Counter()
        self.max_timeouts = MAX_TIMEOUTS  # where students wait for the answer, one is enough
        self.broken: StudentFailure | None = None
        self.loaded = False  # whether the module could be imported
        self.surveyed: tuple[Surveyed, ...] | None = None  # what was read in the files; None: not yet
        self.imported = Imported()  # what is known of the first attempt to import it
        self.tell: Callable[[Importing | Imported], None] = lambda event: None
        self.calls: Callable[[str], None] = lambda function: None  # hears which function is called next

    @cached_property
    def submission(self) -> str:
        """A hash of the student's files."""
        return hashlib.sha256(repr(sorted(self.transport.sources.items())).encode()).hexdigest()

    def load(self, *, simulate: bool) -> None:
        """Have the module imported; one that cannot be imported fails every test in the same way."""
        if time.monotonic() > self.deadline:
            raise out_of_budget(self.budget)
        if self.broken:
            raise self.broken
        if not self.loaded:
            self.prepare()
            self.tell(Importing())
        try:
            self.transport.load(simulate=simulate)
        except StudentFailure as failure:
            timeout = failure.verdict is Verdict.TIMEOUT
            self.broken = timed_out("Importing your module", failure.line) if timeout else failure
        except pytest.fail.Exception:
            self.broken = timed_out("Importing your module")
        if not self.loaded:  # later, with the accelerator say, it is the affair of the criterion
            self.loaded = self.broken is None
            self._describe()
            self.tell(self.imported)
        if self.broken:
            raise self.broken

    @property
    def _own(self) -> list[str]:
        """The modules of the exercise itself that were handed in."""
        names = (file.removesuffix(".py") for file in self.transport.exercise.files)
        return [name for name in names if name in self.transport.sources]

    def prepare(self) -> None:
        """If there is a notebook, read what is left out of it: before the first test, whose time it would take."""
        if self.surveyed is None:
            has_notebook = any(is_notebook(self.transport.sources[name][1]) for name in self._own)
            self.surveyed = self.transport.survey() if has_notebook and not self.transport.problem else ()

    def _describe(self) -> None:
        """Find out, once, what to say about the import; a problem is not told again for every criterion."""
        transport, failure = self.transport, self.broken
        if transport.problem:
            self.imported = Imported(transport.problem, transport.problem, Verdict.ERROR)
            self.broken = not_reached(Verdict.ERROR, "the file cannot be used")
            return
        if failure is not None and failure.verdict is Verdict.MISSING:  # no file, or a stub
            return
        surveyed = self.surveyed or ()
        if not surveyed and (transport.absent or (failure and failure.verdict not in WITHOUT_EXCEPTION)):
            surveyed = transport.survey()
        sources = transport.sources
        notes = describe_notes(surveyed, sources, self._own)
        if failure is None:
            self.imported = Imported(notes=notes)
            return
        main = transport.exercise.name
        problem = describe_problem(failure, surveyed, sources, main)
        in_full = describe_problem(failure, surveyed, sources, main, in_full=True)
        self.imported = Imported(problem, in_full, failure.verdict, notes)
        self.broken = not_reached(failure.verdict, "the module does not import")


class Student:
    """Attribute access names a function or class of the student's module."""

    def __init__(
        self, session: Session, seed: int, *, simulate: bool = False, recording: Recording | None = None
    ) -> None:
        self._session = session
        self._simulate = simulate
        self._seed: int | None = seed
        self._out_of_time: StudentFailure | None = None
        self._answered = False
        self._recording = recording

    def __getattr__(self, name: str) -> Function:
        if name.startswith("_"):
            raise AttributeError(name)
        return Function(self, name)

    def _perform(self, call: Call, callbacks: Callbacks) -> Reply:
        label = call.target or "Your object"  # not its class, whose name is the student's to choose
        if self._out_of_time:  # hypothesis tries again after a failure; the test's time is used up
            raise self._out_of_time
        if self._session.timeouts[label] >= MAX_TIMEOUTS:
            raise timed_out(label)
        if self._session.timeouts[label] >= self._session.max_timeouts:
            raise StudentFailure(
                Verdict.TIMEOUT, f"Skipped: {label} took too long in an earlier test, so it is not called again."
            )
        self._session.load(simulate=self._simulate)
        self._session.calls(label)
        seed, self._seed = self._seed, None  # with a test's first call
        call = msgspec.structs.replace(call, seed=seed)
        outcome: Reply | Failure | None = None
        start = time.monotonic()
        try:
            outcome = reply = self._session.transport.call(call, callbacks)
        except StudentFailure as failure:
            if failure.verdict is Verdict.ERROR:
                outcome = Failure(types=failure.types, message=failure.text)
            if failure.verdict is not Verdict.TIMEOUT:
                raise
            outcome = no_answer()
            raise self._note_timeout(label) from None
        except AssertionError as error:  # of a function of the test's
            outcome = objection(error)
            raise
        except pytest.fail.Exception as error:  # pytest-timeout's alarm rang inside the student's code
            if "Timeout" not in str(error):
                raise
            raise self._note_timeout(label) from None
        finally:
            if self._recording:
                self._recording.seconds += time.monotonic() - start
                self._recording.add(call, callbacks.functions, outcome)
        self._answered = True
        return reply

    def _note_timeout(self, label: str) -> StudentFailure:
        self._session.timeouts[label] += 1
        self._out_of_time = timed_out(label)
        return self._out_of_time


class Function:
    """A function, class or method of the student's: call it, or ask for more than its value."""

    def __init__(
        self, student: Student, name: str, handle: Handle | None = None, device: str = "", module: str = ""
    ) -> None:
        self._student = student
        self._name = name
        self._handle = handle
        self._device = device
        self._module = module

    def __getattr__(self, name: str) -> Function:
        """What it has under this name: ``student.Vocabulary.from_sequences``."""
        if name.startswith("_"):
            raise AttributeError(name)
        dotted = f"{self._name}.{name}" if self._name else name
        return Function(self._student, dotted, self._handle, module=self._module)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The result as plain data, or a ``Remote`` for an object that stays with the student."""
        return self._perform(args, kwargs).value

    def on(self, device: str) -> Function:
        """The same function, but tensor arguments are moved to this device first."""
        return Function(self._student, self._name, self._handle, device, self._module)

    def keep(self, *args: Any, **kwargs: Any) -> Remote:
        """The result as a ``Remote``, whatever it is: it stays with the student, to be passed on."""
        found: Remote = self._perform(args, kwargs, keep=True).value
        return found

    def observe(self, *args: Any, **kwargs: Any) -> Reply:
        """The result, and the arguments as they are after the call."""
        return self._perform(args, kwargs, arguments=True)

    def gradients(self, *args: Any, **kwargs: Any) -> Reply:
        """The result, and the gradient of its sum for tensor arguments and a module's parameters."""
        return self._perform(args, kwargs, gradients=True)

    def measure(self, *args: Any, **kwargs: Any) -> Reply:
        """The result, and the most memory that the call took; tell megabytes from kilobytes by it, not bytes."""
        return self._perform(args, kwargs, memory=True)

    def read(self) -> Any:
        """The value of an attribute that is no function."""
        return self._perform((), {}, read=True).value

    def _perform(self, args: tuple[Any, ...], kwargs: dict[str, Any], **wanted: bool) -> Reply:
        callbacks = Callbacks()
        args, kwargs = callbacks.replace(args), callbacks.replace(kwargs)
        call = Call(
            target=self._name, handle=self._handle, module=self._module, args=args, kwargs=kwargs,
            device=self._device, **wanted,
        )  # fmt: skip
        try:
            reply = self._student._perform(call, callbacks)
        finally:
            if callbacks.error:
                raise callbacks.error
        if isinstance(reply.value, Handle):
            return msgspec.structs.replace(reply, value=Remote(self._student, reply.value))
        return reply


class Remote(Function):
    """An object that stays with the student: call it, call its methods, pass it back as an argument.

    It forwards nothing else: no comparison, no conversion, so it can decide no test.
    """

    def __init__(self, student: Student, handle: Handle) -> None:
        super().__init__(student, "", handle)

    @property
    def handle(self) -> Handle:
        assert self._handle is not None
        return self._handle


def module_of(student: Student, name: str) -> Function:
    """Another module where the student's code runs: ``module_of(student, "torch").optim.Adam(…)``."""
    return Function(student, "", module=name)


def look_at_source(student: Student, names: tuple[str, ...]) -> list[tuple[str, int]]:
    """Where the student's main module mentions these names; an empty name if it cannot be read."""
    session = student._session
    if not session.loaded:
        session.load(simulate=student._simulate)
    return session.transport.look(names)


def line_of_source(student: Student, line: int) -> str:
    """A line of the student's main module, as its author knows it: ``line 35``, or ``cell 4, line 3``."""
    transport = student._session.transport
    cell = cell_at(transport.sources.get(transport.exercise.name, ("", b""))[1], line)
    return f"cell {cell[0]}, line {cell[1]}" if cell else f"line {line}"


def was_answered(student: Student) -> bool:
    """Whether the student's code has returned anything in this test."""
    return student._answered
