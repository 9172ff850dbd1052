"""Whether the files of an exercise can be judged at all: what is missing or broken is said once, before anything runs.

Everything is read as text. What only running a suite shows (an import that fails, a wrong ``kind=``) is a fault that
the judge of the solution tells.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from grader.course import Course, Exercise
from grader.course.equivalents import load_equivalents
from grader.course.misconceptions import Bank, apply_misconception, load_bank
from grader.course.predictions import path_of, read_predictions
from grader.course.stubs import make_stub
from grader.course.suites import WrittenTest, read_suite
from grader.errors import GraderError, did_you_mean
from grader.validation.records import Proof

CLAIM = "Its files can be judged"
FIXTURES = ("student", "rng", "device", "request", "tmp_path", "monkeypatch", "capsys", "recwarn", "pytestconfig")


def prove_readiness(course: Course, exercise: Exercise) -> Proof:
    """Solution, suites, bank and questions are there, can be read, and fit each other."""
    problems = [
        *_solution(course, exercise),
        *_suites(course, exercise),
        *_bank(course, exercise),
        *_others(course, exercise),
    ]
    return Proof(
        claim=CLAIM,
        finding="no, and nothing is judged before" if problems else "all are there",
        problems=tuple(problems),
        remedy=f"Mend these, then run `grader validate {exercise.name}` again.",
    )


def _solution(course: Course, exercise: Exercise) -> Iterator[str]:
    path = course.solution(exercise)
    source, problem = _read(course, path, f"write the solution of {exercise.name!r} there")
    if problem:
        yield problem
        return
    try:
        make_stub(source, path, exercise.builds_on)
    except GraderError as error:
        yield _inside(course, error)


def _suites(course: Course, exercise: Exercise) -> Iterator[str]:
    seen: dict[tuple[str, str], str] = {}
    for path, what in zip(course.suites(exercise), ("public", "hidden"), strict=True):
        source, problem = _read(course, path, f"write the {what} tests of {exercise.name!r} there")
        if problem or (problem := _syntax(course, path, source)):
            yield problem
            continue
        tests = read_suite(path)
        if not tests and (what == "public" or exercise.hidden_criteria):
            yield f"{_short(course, path)}: has no tests; write functions test_…(student) with @criterion above them."
        fixtures = _fixtures(course, path)
        for test in tests:
            place = f"{_short(course, path)}:{test.node.lineno}: test_{test.id}"
            yield from _test(place, test, fixtures)
            for label, value in (("id", test.id), ("title", test.title)):
                first = seen.setdefault((label, value), place)
                if value and first != place:
                    yield f"{place}: the {label} {value!r} is taken by {first}; choose another."


def _test(place: str, test: WrittenTest, fixtures: frozenset[str]) -> Iterator[str]:
    if not any("criterion" in ast.unparse(one) for one in test.node.decorator_list):
        yield f"{place}: has no criterion. Put @criterion(title, points=…, kind=…, hint=…) above it."
    if len(test.node.decorator_list) == 1:  # @given and @pytest.mark.parametrize fill arguments in other ways
        for one in test.node.args.args[: len(test.node.args.args) - len(test.node.args.defaults)]:
            if one.arg not in fixtures:
                near = did_you_mean(one.arg, fixtures)
                yield f"{place}: asks for {one.arg!r}, and there is no such fixture{near} Most tests need `student`."


def _fixtures(course: Course, suite: Path) -> frozenset[str]:
    """The names that a test may ask for: ours, pytest's, and whatever the suite and conftests define or import."""
    found = set(FIXTURES)
    folders = [folder for folder in suite.parents if folder == course.root or course.root in folder.parents]
    for path in (suite, *(folder / "conftest.py" for folder in folders)):
        try:
            nodes = ast.walk(ast.parse(path.read_bytes()))
        except (OSError, SyntaxError, ValueError):
            continue
        for node in nodes:
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("test_"):
                found.add(node.name)
            elif isinstance(node, ast.Import | ast.ImportFrom):
                found |= {alias.asname or alias.name for alias in node.names}
    return frozenset(found)


def _bank(course: Course, exercise: Exercise) -> Iterator[str]:
    path, solution = course.bank(exercise), course.solution(exercise)
    if not path.is_file():
        return  # that there are no known mistakes is a claim of its own
    try:
        bank: Bank = load_bank(path)
    except GraderError as error:
        yield _inside(course, error)
        return
    source, problem = _read(course, solution, "")
    if problem or _syntax(course, solution, source):
        return  # said above
    for mistake in bank.misconception:
        try:
            wrong = apply_misconception(mistake, source, path)
        except GraderError as error:
            yield _inside(course, error)
            continue
        if wrong == source:
            yield f"{_short(course, path)}: misconception {mistake.id!r}: it changes nothing."


def _others(course: Course, exercise: Exercise) -> Iterator[str]:
    for earlier in map(course.exercise, exercise.builds_on):
        for path in (course.solution(earlier), course.stand_in(earlier.name)):
            if not path.is_file():
                yield f"{_short(course, path)}: not found, and {exercise.name} builds on {earlier.name!r}; write it."
    for earlier in map(course.exercise, exercise.implementations_of):
        for path in (course.solution(earlier), course.bank(earlier)):
            if not path.is_file():
                yield f"{_short(course, path)}: not found, and {exercise.name} tries implementations of it; write it."
    if course.handout(exercise).is_file() and (problem := _read(course, course.handout(exercise), "")[1]):
        yield problem
    try:
        load_equivalents(course.equivalents(exercise))
        if path_of(course, exercise).is_file():
            read_predictions(course, exercise)
    except GraderError as error:
        yield _inside(course, error)


def _read(course: Course, path: Path, advice: str) -> tuple[str, str]:
    """The text, or what is wrong with the file."""
    try:
        return path.read_text(encoding="utf-8"), ""
    except FileNotFoundError:
        return "", f"{_short(course, path)}: not found; {advice}."
    except UnicodeDecodeError as error:
        return "", f"{_short(course, path)}: is not UTF-8 (byte {error.start}); save it as UTF-8."
    except OSError as error:
        return "", f"{_short(course, path)}: cannot be read ({error.strerror})."


def _syntax(course: Course, path: Path, source: str) -> str:
    try:
        ast.parse(source)
    except SyntaxError as error:
        return f"{_short(course, path)}:{error.lineno or 1}: is not valid Python: {error.msg}."
    except ValueError as error:  # a null byte
        return f"{_short(course, path)}: is not valid Python: {error}."
    return ""


def _inside(course: Course, error: GraderError) -> str:
    """The words of an error, with paths as they are inside the course."""
    return str(error).replace(f"{course.root}/", "")


def _short(course: Course, path: Path) -> str:
    return path.relative_to(course.root).as_posix()
