"""Data that its examiner does not survive cost whoever returned them, and nobody else."""

import pytest

from grader.course import load_course
from grader.judge.processes import child_process
from grader.judge.processes.task import Task
from grader.judge.processes.warm import WarmJudge
from grader.results.records import Verdict
from grader.results.scoring import exercise_score
from grader.sandbox.layers import find_layers

SUITE = '''
import ctypes
from grader.judge import assert_equal, criterion


@criterion("First", points=1, kind="value", hint="Use +.")
def test_first(student):
    """One and one is two."""
    assert_equal(student.add(1, 1), 2, "add(1, 1)")


@criterion("Fragile", points=2, kind="value", hint="Use +.", timeout=0.5)
def test_fragile(student):
    """A test that some results are too much for."""
    found = student.add(2, 3)
    if found == "crash":
        ctypes.string_at(0)
    while found == "hang":
        pass
    assert_equal(found, 5, "add(2, 3)")


@criterion("Last", points=1, kind="value", hint="Use +.")
def test_last(student):
    """Three and four is seven."""
    assert_equal(student.add(3, 4), 7, "add(3, 4)")
'''


@pytest.fixture
def judge(tiny):
    (tiny / "exercises/addition/test_addition.py").write_text(SUITE)
    course = load_course(tiny / "course.toml")
    judge = WarmJudge(course, course.exercises[:1], find_layers())
    yield judge
    judge.close()


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [("crash", Verdict.FAILED), pytest.param("hang", Verdict.TIMEOUT, marks=pytest.mark.attack)],  # it takes its time
)
def test_whoever_ends_the_examiner_has_not_passed(judge, answer, verdict):
    code = f"def add(a, b):\n    return {answer!r} if (a, b) == (2, 3) else a + b\n"
    result = judge.grade(Task(exercise="addition", sources={"addition": ("addition.py", code.encode())}))
    found = {c.criterion.id: c.verdict for c in result.criteria}
    assert found == {
        "first": Verdict.PASSED, "fragile": verdict, "last": Verdict.PASSED, "any": Verdict.PASSED
    }  # fmt: skip
    assert exercise_score(result) == 60
    assert not result.fault
    honest = Task(exercise="addition", sources={"addition": ("addition.py", b"def add(a, b):\n    return a + b\n")})
    assert exercise_score(judge.grade(honest)) == 100


def test_a_child_is_followed(tmp_path):
    with (tmp_path / "events").open("wb") as events:
        assert child_process.run_child(lambda stream: None, {}, events).status == 0
        assert child_process.run_child(lambda stream: 1 / 0, {}, events).status == 1
