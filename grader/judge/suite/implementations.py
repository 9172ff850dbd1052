"""Right and wrong implementations of an exercise, for tests that students write themselves.

They are our own code and stay with the judge. A student's tests reach them by a callback, by data alone: what comes in
is checked before an implementation sees it, and what an implementation raises goes back as data, too.
"""

from __future__ import annotations

import random
import types
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NoReturn

import msgspec

from grader.course import Course, Exercise
from grader.course.misconceptions import apply_misconception, load_misconceptions
from grader.judge.suite.compare import Mismatch
from grader.judge.suite.student import Student
from grader.text import printable

MAX_CALLS = 2_000  # within one run of a student's tests
MAX_NAMES, MAX_NAME = 100, 80  # of failed tests
MAX_TYPE = 40  # characters of an exception's name
MAX_MESSAGE = 500

Module = Mapping[str, Any]
# What a student's test asked -> the function, its arguments and its keyword arguments; it raises ``Mismatch`` where an
# implementation could not take them. The suite has one, because only the suite knows its functions.
Check = Callable[..., tuple[str, tuple[Any, ...], dict[str, Any]]]


class Implementation(msgspec.Struct, frozen=True):
    """One implementation; ``load`` gives its names, made anew, so that nothing is left from an earlier run."""

    name: str
    load: Callable[[], Module]


def from_source(name: str, source: str) -> Implementation:
    code = compile(source, f"{name}.py", "exec", dont_inherit=True)

    def load() -> Module:
        module = types.ModuleType(name)
        exec(code, module.__dict__)  # noqa: S102  # our own solution, variant or mistake
        return module.__dict__

    return Implementation(name, load)


def from_file(path: Path) -> Implementation:
    return from_source(path.stem, path.read_text(encoding="utf-8"))


def right_implementations(course: Course, exercise: Exercise) -> tuple[Implementation, ...]:
    """The solution, and the right variants in other styles."""
    return tuple(from_file(path) for path in (course.solution(exercise), *course.variants(exercise)))


def wrong_implementations(course: Course, exercise: Exercise, ids: Iterable[str]) -> tuple[Implementation, ...]:
    """The solution with each of these known mistakes in it."""
    path = course.bank(exercise)
    bank = {mistake.id: mistake for mistake in load_misconceptions(path)}
    source = course.solution(exercise).read_text(encoding="utf-8")
    return tuple(from_source(id_, apply_misconception(bank[id_], source, path)) for id_ in ids)


class Trials:
    """Runs a student's tests on implementations, each once, however many criteria ask. ``check`` looks at questions.

    Every run has a fresh worker where the transport has workers: tests that could remember the answers of a right
    implementation would only have to compare, and need to know nothing.
    """

    def __init__(self, check: Check) -> None:
        self.check = check
        self._known: tuple[object, dict[str, tuple[str, ...]]] = (None, {})  # of the submission that is judged now

    def try_all(self, student: Student, implementations: Iterable[Implementation]) -> None:
        """Run the tests on all of these, in an order that nobody can know: who counts runs learns nothing by it."""
        waiting = list(implementations)
        random.SystemRandom().shuffle(waiting)
        for implementation in waiting:
            self.failures(student, implementation)

    def failures(self, student: Student, implementation: Implementation) -> tuple[str, ...]:
        """The student's tests that fail on it, as the student's ``run`` says: names to show, and to count."""
        session = student._session
        if self._known[0] is not session:
            self._known = session, {}
        known = self._known[1]
        if implementation.name not in known:
            session.transport.close()
            failed = student.run(answering(implementation.load(), self.check))
            if not isinstance(failed, list) or not all(isinstance(name, str) for name in failed):
                problem = "run must return the list of the names of the tests that failed."
                raise Mismatch(problem, problem)
            known[implementation.name] = tuple(printable(name, MAX_NAME) for name in failed[:MAX_NAMES])
        return known[implementation.name]


def answering(module: Module, check: Check) -> Callable[..., Any]:
    """The callback for one implementation: ``("value", result)``, or ``("raises", type, message)``."""
    calls = 0

    def call(*asked: Any) -> tuple[Any, ...]:
        nonlocal calls
        calls += 1
        if calls > MAX_CALLS:
            _object(f"Your tests call one implementation more than {MAX_CALLS} times: fewer, well chosen inputs do.")
        name, arguments, keywords = check(*asked)
        try:
            return "value", module[name](*arguments, **keywords)
        except Exception as error:
            return "raises", type(error).__name__[:MAX_TYPE], str(error)[:MAX_MESSAGE]

    return call


def _object(problem: str) -> NoReturn:
    raise Mismatch(problem, problem)
