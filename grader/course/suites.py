"""Test files as files: which exercise one belongs to, where the student's files for it are, and which criteria it has.

Suites are read here, as text; the judge runs them.
"""

from __future__ import annotations

import ast
from pathlib import Path

import msgspec

from grader.course.helpers import helpers_of
from grader.course.manifest import Exercise
from grader.course.paths import Course, load_course, nearest_manifest


class Suite(msgspec.Struct, frozen=True):
    """One test file of one exercise."""

    course: Course
    exercise: Exercise
    hidden: bool

    def student_files(self, submission: Path | None) -> dict[str, Path]:
        """Module name → file. A submission that is a file stands for the exercise's main module.

        Of the exercises that this one builds on, a stand-in takes the place of what is not there.
        """
        earlier = {name: self._earlier(name, submission) for name in self.exercise.builds_on}
        if submission is not None and not submission.is_dir():
            found = {**earlier, self.exercise.name: submission, **self._modules(submission.parent, main=False)}
        else:
            found = {**earlier, **self._modules(submission or self.course.folder(self.exercise), main=True)}
        return {**helpers_of(found.values(), found), **found}

    def _earlier(self, name: str, submission: Path | None) -> Path:
        folder = self.course.folder(self.course.exercise(name))
        if submission is not None and submission.parent != self.course.folder(self.exercise):
            folder = submission if submission.is_dir() else submission.parent
        own = folder / f"{name}.py"
        return own if own.is_file() else self.course.stand_in(name)

    def _modules(self, folder: Path, main: bool) -> dict[str, Path]:
        names = [file.removesuffix(".py") for file in self.exercise.files]
        return {name: folder / f"{name}.py" for name in names if main or name != self.exercise.name}


def find_suite(path: Path) -> Suite | None:
    """The suite that this file is, or None if it is an ordinary test."""
    if not path.name.startswith("test_"):
        return None
    manifest = nearest_manifest(path.resolve().parents[:3])
    if manifest is None:
        return None
    course = load_course(manifest)
    for exercise in course.exercises:
        if path.resolve() == course.public_suite(exercise).resolve():
            return Suite(course, exercise, hidden=False)
        if path.resolve() == course.hidden_suite(exercise).resolve():
            return Suite(course, exercise, hidden=True)
    return None


class WrittenTest(msgspec.Struct, frozen=True, kw_only=True):
    """One test of a suite, as it is written."""

    id: str
    title: str
    points: int
    hint: str
    question: str
    step: str
    kind: str
    sentence: str
    long: bool  # it trains a model, or may
    body: str  # its syntax tree, without the docstring
    node: ast.FunctionDef

    @property
    def hints(self) -> tuple[str, ...]:
        """What helps, the least first: a question, a direction, nearly the step."""
        return tuple(words for words in (self.question, self.hint, self.step) if words)


def read_suite(path: Path) -> tuple[WrittenTest, ...]:
    """The criteria of a suite, in its order; none where there is no suite that Python can read."""
    try:
        nodes = ast.parse(path.read_bytes()).body
    except (OSError, SyntaxError, ValueError):  # whoever runs it says so
        return ()
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]
    return tuple(_read(node) for node in functions)


def read_suites(course: Course, exercise: Exercise) -> tuple[WrittenTest, ...]:
    """The criteria of an exercise as they are written: public ones first."""
    return tuple(test for suite in course.suites(exercise) for test in read_suite(suite))


def _read(node: ast.FunctionDef) -> WrittenTest:
    values: dict[str, object] = {"title": ""}
    for call in node.decorator_list:
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "criterion":
            values["title"] = _literal(call.args[0]) if call.args else ""
            values |= {keyword.arg: _literal(keyword.value) for keyword in call.keywords if keyword.arg}
    body = node.body[1:] if ast.get_docstring(node) is not None else node.body
    points = values.get("points")
    return WrittenTest(
        id=node.name.removeprefix("test_"),
        title=str(values["title"]),
        points=points if isinstance(points, int) else 0,
        hint=str(values.get("hint", "")),
        question=str(values.get("question", "")),
        step=str(values.get("step", "")),
        kind=str(values.get("kind", "")),
        sentence=" ".join((ast.get_docstring(node) or "").split()),
        long=bool(values.get("long", False)),
        body="\n".join(ast.dump(statement) for statement in body),
        node=node,
    )


def _literal(node: ast.expr) -> object:
    """The value of a literal; for anything else its text, which is true and not a number."""
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return ast.unparse(node)
