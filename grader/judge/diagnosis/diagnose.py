"""Why a student failed: which known mistake gives the same answers to the same calls.

A failed test's calls are repeated on the solution with a mistake in it, for every mistake that the test is known to
catch. One that answers as the student did, where the solution answers otherwise, explains the failure. It must explain
enough (a single small number can agree by chance), and it must not contradict the tests that the student passed.

The mistakes are our own code, so they run here. The student's answers were data when they came, and are only compared.
"""

from __future__ import annotations

import contextlib
import importlib
import math
import signal
import sys
import time
import types
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from grader.course import Course, Exercise
from grader.course.misconceptions import apply_misconception, load_misconceptions
from grader.judge.diagnosis.recording import Exchange, Recording, no_answer, objection
from grader.judge.diagnosis.similarity import ENOUGH, monotonous, same, weight
from grader.judge.transports.callbacks import Callbacks
from grader.judge.transports.outcomes import StudentFailure
from grader.wire.codec import CodecError, as_sent, copy
from grader.wire.messages import Call, Failure, Handle, Load, Reply
from grader.worker.executor import Executor, Sources, StudentError
from grader.worker.loop import simulate_accelerator

SECONDS = 2.0  # for one mistake on one test
ALL_SECONDS = 20.0  # for a whole submission, if its tests have left as much; what was found by then is said


class Mistake(msgspec.Struct, frozen=True):
    """A known mistake, ready to run."""

    id: str
    caught_by: frozenset[str]
    code: Any  # the compiled module


class Suspects(msgspec.Struct, frozen=True):
    """The solution of an exercise, its known mistakes, and the modules that they import."""

    exercise: str
    forbidden: tuple[str, ...]
    solution: Any
    mistakes: tuple[Mistake, ...]
    others: dict[str, tuple[str, bytes]]


def load_suspects(course: Course, exercise: Exercise) -> Suspects | None:
    """The bank of an exercise, compiled; None if it has none."""
    path = course.bank(exercise)
    if not path.is_file():
        return None
    file = course.solution(exercise)
    source = file.read_text(encoding="utf-8")

    def compiled(text: str) -> Any:
        return compile(text, file.name, "exec", dont_inherit=True)

    return Suspects(
        exercise=exercise.name,
        forbidden=exercise.forbidden,
        solution=compiled(source),
        mistakes=tuple(
            Mistake(mistake.id, frozenset(mistake.caught_by), compiled(apply_misconception(mistake, source, path)))
            for mistake in load_misconceptions(path)
        ),
        others={name: (f"{name}.py", course.stand_in(name).read_bytes()) for name in exercise.builds_on},
    )


def diagnose(
    suspects: Suspects,
    failed: Mapping[str, Sequence[Recording]],
    passed: Mapping[str, Sequence[Recording]],
    deadline: float = math.inf,
) -> dict[str, tuple[str, ...]]:
    """For each failed criterion the ids of the mistakes that explain it; those that none explains are left out.

    ``deadline``, by time.monotonic, is when the student's time is over.
    """
    usable = {id_: tests for id_, tests in failed.items() if all(test.usable and test.exchanges for test in tests)}
    # The accelerator stays on once it is on, so whoever needs it comes last.
    usable = dict(sorted(usable.items(), key=lambda entry: any(test.simulate for test in entry[1])))
    found: dict[str, list[str]] = {}
    with contextlib.suppress(_OutOfAllTime):
        deadline = min(deadline, time.monotonic() + ALL_SECONDS)
        for id_, mistake in _explanations(suspects, usable, failed, passed, deadline):
            found.setdefault(id_, []).append(mistake)
    return {id_: tuple(ids) for id_, ids in found.items()}


def _explanations(
    suspects: Suspects,
    usable: Mapping[str, Sequence[Recording]],
    failed: Mapping[str, Sequence[Recording]],
    passed: Mapping[str, Sequence[Recording]],
    deadline: float,
) -> Iterator[tuple[str, str]]:
    """Failed criteria with a mistake that explains them, as they are found."""
    right = {
        id_: [_replay(suspects, suspects.solution, test, deadline) for test in tests] for id_, tests in usable.items()
    }
    dull = monotonous([test for tests in (*failed.values(), *passed.values()) for test in tests])

    def evidence_of(mistake: Mistake, id_: str) -> int:
        return _evidence(suspects, mistake, usable[id_], right[id_], dull, deadline)

    for mistake in suspects.mistakes:
        concerned = [id_ for id_ in usable if id_ in mistake.caught_by]
        evidence = {id_: evidence_of(mistake, id_) for id_ in concerned}
        if not any(evidence.values()) or 2 * sum(map(bool, evidence.values())) < len(concerned):
            continue
        rest = [id_ for id_ in usable if id_ not in concerned]
        evidence |= {id_: evidence_of(mistake, id_) for id_ in rest}
        explained = [id_ for id_ in failed if evidence.get(id_)]
        enough = sum(evidence.values()) >= ENOUGH or len(explained) == len(failed)
        if not enough or _contradicted(suspects, mistake, passed, deadline):
            continue
        for id_ in filter(evidence.get, evidence):
            yield id_, mistake.id


def _evidence(
    suspects: Suspects,
    mistake: Mistake,
    tests: Sequence[Recording],
    right: Sequence[Any],
    dull: frozenset[str],
    deadline: float,
) -> int:
    """How much speaks for the mistake: 0 if it answers anything else than the student did."""
    evidence = 0
    for test, expected in zip(tests, right, strict=True):
        answers = _replay(suspects, mistake.code, test, deadline)
        if len(answers) < len(test.exchanges):
            return 0
        for number, (exchange, answer) in enumerate(zip(test.exchanges, answers, strict=True)):
            if not same(exchange.outcome, answer):
                return 0
            if number >= len(expected) or not same(exchange.outcome, expected[number]):
                evidence += 0 if exchange.call.target in dull else weight(exchange)
    return evidence


def _contradicted(
    suspects: Suspects, mistake: Mistake, passed: Mapping[str, Sequence[Recording]], deadline: float
) -> bool:
    """Whether a test that the student passed would have caught the mistake by its answers."""
    tests = [test for id_ in mistake.caught_by for test in passed.get(id_, ()) if test.usable and not test.simulate]
    return any(
        len(answers := _replay(suspects, mistake.code, test, deadline)) < len(test.exchanges)
        or not all(same(exchange.outcome, answer) for exchange, answer in zip(test.exchanges, answers, strict=True))
        for test in tests
    )


def _replay(suspects: Suspects, code: Any, test: Recording, deadline: float) -> list[Reply | Failure]:
    """What this code answers to the test's calls, up to the first that has no answer."""
    answers: list[Reply | Failure] = []
    left = deadline - time.monotonic()
    if left <= 0:
        raise _OutOfAllTime
    try:
        with _time_limit(min(SECONDS, left)):
            if test.simulate:
                simulate_accelerator()
            subject = _Subject(suspects, code)
            for exchange in test.exchanges:
                answer = subject.answer(exchange)
                if answer is None:
                    break
                answers.append(answer)
                if not same(exchange.outcome, answer):  # from here on they do different things
                    break
    except _OutOfTime:
        if left < SECONDS:  # it is not this mistake that takes too long
            raise _OutOfAllTime from None
        answers.append(no_answer())
    return answers


class _Subject:
    """A module of ours that answers a student's calls; handles are translated between the two."""

    def __init__(self, suspects: Suspects, code: Any) -> None:
        self.callbacks = Callbacks()
        load = Load(name=suspects.exercise, sources=suspects.others, forbidden=suspects.forbidden)
        self.executor = Executor(load, lambda number, args: self.callbacks.answer_here(number, args))
        self.handles: dict[int, int] = {}  # the student's number -> ours
        main = {suspects.exercise: (f"{suspects.exercise}.py", b"")}
        finder = _Compiled({**suspects.others, **main}, suspects.exercise, code)
        for name in finder.sources:
            sys.modules.pop(name, None)
        sys.meta_path.insert(0, finder)
        try:
            self.executor.module = importlib.import_module(suspects.exercise)
        finally:
            sys.meta_path.remove(finder)

    def answer(self, exchange: Exchange) -> Reply | Failure | None:
        self.callbacks = Callbacks()
        self.callbacks.functions = list(exchange.functions)
        try:
            call = self._translated(exchange.call)
            plain = as_sent(self.executor.call(call))
        except StudentError as error:
            # A function of the test's objected to what it was asked.
            if isinstance(self.callbacks.error, AssertionError):
                return objection(self.callbacks.error)
            return error.failure if isinstance(error.failure, Failure) else None
        except (CodecError, LookupError, StudentFailure):
            return None
        if isinstance(exchange.outcome, Reply):
            self._note(exchange.outcome.value, plain.value)
        return plain

    def _note(self, theirs: Any, ours: Any) -> None:
        if isinstance(theirs, Handle) and isinstance(ours, Handle):
            self.handles[theirs.id] = ours.id
        elif isinstance(theirs, list | tuple) and isinstance(ours, list | tuple):
            for their, our in zip(theirs, ours, strict=False):
                self._note(their, our)

    def _translated(self, call: Call) -> Call:
        """The call as this subject would get it: a copy, with its own handles."""
        handle, args, kwargs = copy(self._mapped((call.handle, call.args, call.kwargs)))
        return msgspec.structs.replace(call, handle=handle, args=args, kwargs=kwargs, memory=False)

    def _mapped(self, value: Any) -> Any:
        if isinstance(value, Handle):
            return Handle(self.handles[value.id], "")
        if isinstance(value, list | tuple):
            return type(value)(self._mapped(item) for item in value)
        if isinstance(value, dict):
            return {key: self._mapped(item) for key, item in value.items()}
        return value


class _Compiled(Sources):
    """Sources of which one is compiled already."""

    def __init__(self, sources: Mapping[str, tuple[str, bytes]], name: str, code: Any) -> None:
        super().__init__(sources)
        self.name, self.code = name, code

    def exec_module(self, module: types.ModuleType) -> None:
        if module.__name__ == self.name:
            exec(self.code, module.__dict__)  # noqa: S102  # the solution, or a mistake of ours in it
        else:
            super().exec_module(module)


class _OutOfTime(BaseException):
    """Past everything that catches exceptions."""


class _OutOfAllTime(Exception):  # noqa: N818  # no error: the rest is not looked at
    """Enough time was spent on this submission."""


@contextlib.contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    """A mistake may be one that never ends."""

    def ring(*_: object) -> None:
        raise _OutOfTime

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
