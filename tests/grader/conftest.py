"""Small courses in temporary folders, and the real one."""

import sys
import textwrap
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from grader.cli import main
from grader.course import Course, find_course
from grader.grading.backends.local import LocalBackend
from grader.grading.run import ClassRun
from grader.grading.settings import Settings
from grader.results.gradebook import Gradebook
from grader.results.records import StudentResult
from grader.submissions.base import Submission

pytest_plugins = ["pytester"]

SECRET = f'format = 2\nsecret = "{7:064x}"\n'

MANIFEST = """
format = 1
title = "Tiny"

[[exercise]]
name = "addition"
title = "One and one"
files = ["addition.py"]
hidden_criteria = 1

[[exercise]]
name = "doubling"
title = "Twice"
weight = 3
files = ["doubling.py"]
hidden_criteria = 0
budget = 8
"""

ADDITION_TESTS = '''
from grader.judge import assert_equal, criterion


@criterion("Small sums", points=2, kind="value", hint="Use +.", timeout=3)
def test_small(student):
    """One and one is two."""
    assert_equal(student.add(1, 1), 2, "add(1, 1)")


@criterion("Zero", points=1, kind="robustness", hint="Zero is a number too.")
def test_zero(student):
    """Zero changes nothing."""
    assert_equal(student.add(5, 0), 5, "add(5, 0)")
'''

ADDITION_HIDDEN = '''
from grader.judge import assert_equal, criterion


@criterion("Any sum", points=1, kind="value", hint="Think again.")
def test_any(student, rng):
    """Sums of numbers that nobody knows beforehand."""
    a, b = rng.randrange(1000), rng.randrange(1000)
    assert_equal(student.add(a, b), a + b, f"add({a}, {b})")
'''

DOUBLING_TESTS = '''
from grader.judge import assert_equal, criterion


@criterion("Twice", points=5, kind="value", hint="Add it to itself.", timeout=0.5)
def test_twice(student):
    """Twice three is six."""
    assert_equal(student.double(3), 6, "double(3)")
'''

ADDITION_SOLUTION = '''
def add(a, b):
    """The sum of two numbers."""
    ### BEGIN SOLUTION
    return a + b
    ### END SOLUTION
'''

DOUBLING_SOLUTION = '''
def double(a):
    """Twice a number."""
    ### BEGIN SOLUTION
    return 2 * a
    ### END SOLUTION
'''


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(textwrap.dedent(text), encoding="utf-8")
    return path


def grade_class(settings: Settings, submissions: list[Submission], gradebook: Gradebook) -> tuple[StudentResult, ...]:
    """All phases of a run, on this machine."""
    with LocalBackend(settings) as backend:
        run = ClassRun(settings, submissions, gradebook, backend)
        run.judge_short(lambda work: None)
        run.judge_long(lambda work: None)
    return run.students()


def make_tiny(root: Path) -> Path:
    """A course of two exercises whose students' files are right."""
    write(root / "course.toml", MANIFEST)
    write(root / "pyproject.toml", "")
    write(root / "solutions/grading.toml", SECRET)
    write(root / "exercises/addition/test_addition.py", ADDITION_TESTS)
    write(root / "exercises/addition/addition.py", "def add(a, b):\n    return a + b\n")
    write(root / "tests/hidden/test_addition.py", ADDITION_HIDDEN)
    write(root / "exercises/doubling/test_doubling.py", DOUBLING_TESTS)
    write(root / "exercises/doubling/doubling.py", "def double(a):\n    return 2 * a\n")
    write(root / "tests/hidden/test_doubling.py", "")
    write(root / "solutions/addition.py", ADDITION_SOLUTION)
    write(root / "solutions/doubling.py", DOUBLING_SOLUTION)
    return root


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """The small course, one for each test."""
    return make_tiny(tmp_path / "course")


@pytest.fixture(autouse=True)
def imports_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """Code that a test has loaded as a student's is not found by the next test."""
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    monkeypatch.setattr(sys, "path", list(sys.path))


@pytest.fixture(scope="session")
def course() -> Course:
    """The course in this repository."""
    return find_course(Path(__file__).parent)


@pytest.fixture
def grader():
    """Run the command line: ``grader("check", "ctc")``."""

    def run(*args: object) -> Result:
        return CliRunner().invoke(main, [str(a) for a in args], env={"COLUMNS": "80"})

    return run
