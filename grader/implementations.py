"""Right and wrong implementations of an exercise, for tests that students write themselves.

They are our own code and stay with the judge. A student's tests reach them by a callback, by data alone: what comes in
is checked before an implementation sees it, and what an implementation raises goes back as data, too.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

import msgspec

from grader.judge.compare import Mismatch
from grader.judge.student import Student
from grader.manifest import Course, Exercise
from grader.misconceptions import apply_misconception, bank_path, load_misconceptions
from grader.text import printable

MAX_ITEMS = 60  # of a sequence
MAX_TEXT = 200  # characters of a text
MAX_ITEM_TEXT = 20  # characters of an item
MAX_COST = 10**6
MAX_NUMBER = 10**18  # as an item
MAX_CALLS = 2_000  # within one run of a student's tests
MAX_NAMES, MAX_NAME = 100, 80  # of failed tests
MAX_TYPE = 40  # characters of an exception's name
MAX_MESSAGE = 500

Module = Mapping[str, Any]


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
    variants = sorted((course.root / "tests" / "variants" / exercise.name).glob("*.py"))
    return tuple(from_file(path) for path in (course.solution(exercise), *variants))


def wrong_implementations(course: Course, exercise: Exercise, ids: Iterable[str]) -> tuple[Implementation, ...]:
    """The solution with each of these known mistakes in it."""
    path = bank_path(course, exercise)
    bank = {mistake.id: mistake for mistake in load_misconceptions(path)}
    source = course.solution(exercise).read_text(encoding="utf-8")
    return tuple(from_source(id_, apply_misconception(bank[id_], source, path)) for id_ in ids)


class Trials:
    """Runs a student's tests on implementations, each once, however many criteria ask.

    Every run has a fresh worker where the transport has workers: tests that could remember the answers of a right
    implementation would only have to compare, and need to know nothing.
    """

    def __init__(self, signatures: Mapping[str, tuple[str, ...]]) -> None:
        self.signatures = signatures  # function -> the names of its costs; without any, it takes two texts
        self._known: tuple[object, dict[str, tuple[str, ...]]] = (None, {})  # of the submission that is judged now

    def failures(self, student: Student, implementation: Implementation) -> tuple[str, ...]:
        """The student's tests that fail on it, as the student's ``run`` says: names to show, and to count."""
        session = student._session
        if self._known[0] is not session:
            self._known = session, {}
        known = self._known[1]
        if implementation.name not in known:
            if renew := getattr(session.transport, "close", None):
                renew()
            failed = student.run(answering(implementation.load(), self.signatures))
            if not isinstance(failed, list) or not all(isinstance(name, str) for name in failed):
                problem = "run must return the list of the names of the tests that failed."
                raise Mismatch(problem, problem)
            known[implementation.name] = tuple(printable(name, MAX_NAME) for name in failed[:MAX_NAMES])
        return known[implementation.name]


def answering(module: Module, signatures: Mapping[str, tuple[str, ...]]) -> Callable[..., Any]:
    """The callback for one implementation: ``("value", result)``, or ``("raises", type, message)``."""
    calls = 0

    def call(*asked: Any) -> tuple[Any, ...]:
        nonlocal calls
        calls += 1
        if calls > MAX_CALLS:
            _object(f"Your tests call one implementation more than {MAX_CALLS} times: fewer, well chosen inputs do.")
        name, arguments, costs = _checked(asked, signatures)
        try:
            return "value", module[name](*arguments, **costs)
        except Exception as error:
            return "raises", type(error).__name__[:MAX_TYPE], str(error)[:MAX_MESSAGE]

    return call


def _checked(
    asked: tuple[Any, ...], signatures: Mapping[str, tuple[str, ...]]
) -> tuple[str, Sequence[Any], dict[str, int | float]]:
    """What the student's side asked, if it is of the form and size that every implementation can take."""
    if len(asked) != 3 or not isinstance(asked[0], str) or asked[0] not in signatures:
        _object(
            f"An implementation is asked as call(function, [source, target], costs); it has {', '.join(signatures)}."
        )
    name, arguments, costs = asked
    if not isinstance(arguments, list | tuple) or len(arguments) != 2:
        _object(f"{name} takes two sequences.")
    if not isinstance(costs, dict) or any(cost not in signatures[name] for cost in costs):
        _object(f"{name} takes {'the costs ' + ', '.join(signatures[name]) if signatures[name] else 'no costs'}.")
    for cost in costs.values():
        if not isinstance(cost, int | float) or not abs(cost) <= MAX_COST:
            _object(f"A cost is a number up to {MAX_COST:,}.")
    for sequence in arguments:
        if not signatures[name]:
            if not isinstance(sequence, str) or len(sequence) > MAX_TEXT:
                _object(f"{name} is tested with texts of up to {MAX_TEXT} characters.")
        elif not isinstance(sequence, str | list | tuple) or len(sequence) > MAX_ITEMS:
            _object(
                f"{name} is tested with strings and lists of up to {MAX_ITEMS} items: short ones show mistakes too."
            )
        elif not all(map(_is_item, sequence)):
            _object(f"Items are numbers, None, strings of up to {MAX_ITEM_TEXT} characters, and tuples of these.")
    return name, arguments, costs


def _is_item(item: Any, depth: int = 0) -> bool:
    if isinstance(item, tuple):
        return depth < 3 and len(item) <= MAX_ITEM_TEXT and all(_is_item(part, depth + 1) for part in item)
    if isinstance(item, str):
        return len(item) <= MAX_ITEM_TEXT
    return item is None or (isinstance(item, int | float) and abs(item) < MAX_NUMBER)


def _object(problem: str) -> NoReturn:
    raise Mismatch(problem, problem)
