"""Both judges do what a task says: the warm, confined one, and the one for machines without confinement."""

import random

import pytest
from msgspec.structs import replace

from grader.course import load_course
from grader.judge.processes.oneshot import UnconfinedJudge, run_suites
from grader.judge.processes.task import Part, Task
from grader.judge.processes.warm import WarmJudge
from grader.judge.suite.seeding import seed_for
from grader.results.records import Verdict
from grader.sandbox.layers import find_layers
from tests.grader.conftest import write

HIDDEN = '''
from grader.judge import assert_equal, criterion


@criterion("Any sum", points=1, kind="value", hint="Think again.")
def test_any(student, rng):
    """Sums of numbers that nobody knows beforehand."""
    a, b = rng.randrange(1000), rng.randrange(1000)
    assert_equal(student.add(a, b), a + b, f"add({a}, {b})")


@criterion("Learns", points=4, kind="value", hint="Again.", long=True)
def test_learns(student):
    """It learns to add."""
    assert_equal(student.add(2, 2), 4, "add(2, 2)")
'''
RIGHT = "def add(a, b):\n    return a + b\n"


@pytest.fixture(params=["warm", "unconfined"])
def grade(request, tiny):
    """Judge a file of this text, as a task with these fields says."""
    write(tiny / "tests/hidden/test_addition.py", HIDDEN)
    course = load_course(tiny / "course.toml")
    if request.param == "warm":
        judge = WarmJudge(course, course.exercises[:1], find_layers())
    else:
        judge = UnconfinedJudge(course)

    def run(text, **how):
        return {c.criterion.id: c for c in run.whole(text, **how).criteria}

    def whole(text, **how):
        task = Task(exercise="addition", sources={"addition": ("addition.py", text.encode())})
        result = judge.grade(replace(task, **how))
        assert not result.fault
        return result

    run.whole = whole
    yield run
    judge.close(now=True)


def verdicts(criteria):
    return {id_: result.verdict.value for id_, result in criteria.items()}


def test_a_task_says_which_criteria_are_judged(grade):
    assert list(grade(RIGHT)) == ["small", "zero", "any", "learns"]
    assert list(grade(RIGHT, only=("zero", "any"))) == ["zero", "any"]
    assert list(grade(RIGHT, part=Part.SHORT)) == ["small", "zero", "any"]
    assert list(grade(RIGHT, part=Part.LONG)) == ["learns"]
    assert list(grade(RIGHT, part=Part.LONG, only=("zero",))) == []


def test_a_task_says_from_which_seed_inputs_are_drawn(grade):
    """A student's code that knows the hidden inputs of one seed passes with that seed only."""
    telling = "def add(a, b):\n    return a + b if (a, b) in ((1, 1), (5, 0), (2, 2)) else {}[0]\n"

    def drawn(seed, draw):
        rng = random.Random(seed_for(seed, draw, "addition/test_any"))
        a, b = rng.randrange(1000), rng.randrange(1000)
        return telling.replace("(2, 2))", f"(2, 2), ({a}, {b}))")

    assert verdicts(grade(drawn("a", 0), seed="a"))["any"] == "passed"
    assert verdicts(grade(drawn("a", 0), seed="b"))["any"] == "error"
    assert verdicts(grade(drawn("b", 0), seed="b", draw=1))["any"] == "error"
    assert verdicts(grade(drawn("b", 1), seed="b", draw=1))["any"] == "passed"


def test_a_task_may_end_with_the_first_failure(grade):
    wrong = "def add(a, b):\n    return a + b if b else -1\n"
    assert verdicts(grade(wrong, first_failure=True)) == {"small": "passed", "zero": "failed"}
    assert len(grade(RIGHT, first_failure=True)) == 4
    crashing = "import os\ndef add(a, b):\n    return a + b if b else os._exit(3)\n"
    assert verdicts(grade(crashing, first_failure=True)) == {"small": "passed", "zero": "crashed"}


def test_what_cannot_be_read_is_an_error_with_its_reason(grade):
    found = grade.whole("", sources={}, problem="addition.py is no ordinary file.")
    assert {result.verdict.value for result in found.criteria} == {"error"}
    assert {result.message for result in found.criteria} == {"Not reached: the file cannot be used."}
    assert found.problem == "addition.py is no ordinary file."


@pytest.mark.parametrize(
    ("text", "verdict", "problem"),
    [
        ("def add(a, b)\n    return 1", "error", "addition.py:1: expected ':'"),
        ("def f():\n    raise KeyError('secret')\nf()", "error", "addition.py:2: KeyError"),
        ("class Mine(ValueError): pass\nraise Mine('secret')", "error", "addition.py:2: ValueError"),
        ("import os\nos._exit(3)", "crashed", "ended its process"),
        ("import sys\nsys.exit()", "error", "addition.py:2: SystemExit"),
        ("while True: pass", "timeout", "took too long"),
        ("try:\n    while True: pass\nexcept BaseException:\n    while True: pass", "timeout", "took too long"),
        ("return 3", "error", "addition.py:1: 'return' outside function"),
        ("raise SyntaxError('secret')", "error", "addition.py:1: SyntaxError"),
    ],
)
def test_a_module_that_does_not_import_says_so_once(grade, text, verdict, problem):
    found = grade.whole(text, diagnose=True)
    assert found.problem == f"does not import ({problem})"
    assert {c.verdict.value for c in found.criteria} == {verdict}
    assert {c.message for c in found.criteria} == {"Not reached: the module does not import."}
    assert {(c.criterion.hint, c.line) for c in found.criteria} == {("", "")}
    assert found.findings == ()
    assert len(found.criteria) == 4
    assert sum(c.criterion.points for c in found.criteria) == 8


def test_a_module_that_imports_has_no_problem(grade):
    for text in (RIGHT, "def add(a, b):\n    raise KeyError\n", "import os\ndef add(a, b):\n    os._exit(1)\n"):
        found = grade.whole(text)
        assert (found.problem, found.notes) == ("", ())


def test_a_package_that_is_absent_costs_nothing_until_it_is_used(grade):
    head = "import math, surely_absent.plots as plt\nfrom not_here_either import *\n"
    found = grade.whole(head + RIGHT)
    assert (found.problem, found.verdict.value) == ("", "passed")
    assert found.notes == ("surely_absent, not_here_either are not installed here; only code that uses them fails",)
    used = grade.whole(head + "def add(a, b):\n    return plt.plot(a)\n")
    assert {c.verdict.value for c in used.criteria} == {"error"}
    assert "ModuleNotFoundError (addition.py:4 in add)" in used.criteria[0].message
    assert grade.whole("import surely_absent\nsurely_absent.use('x')\n" + RIGHT).verdict.value == "passed"
    at_once = grade.whole("import surely_absent\nx = surely_absent.load('x')\n" + RIGHT)
    assert at_once.problem == "does not import (addition.py:2: ModuleNotFoundError)"


def test_nothing_handed_in_is_missing(grade):
    assert set(verdicts(grade("", sources={})).values()) == {"missing"}


DEVICES = '''
from grader.judge import assert_equal, criterion


@criterion("On a device", points=1, kind="device", hint="Hm.")
def test_on_device(student, device):
    """It works on an accelerator."""
    assert_equal(student.add(1, 1), 2, "add(1, 1)")


@criterion("Small sums", points=2, kind="value", hint="Use +.", timeout=60)
def test_small(student):
    """One and one is two."""
    assert_equal(student.add(1, 1), 2, "add(1, 1)")
'''


def test_the_criterion_that_ran_is_blamed_though_another_stands_before_it(tiny):
    """Criteria that need a device run last, wherever they stand; here the budget ends before they begin."""
    suite = write(tiny / "exercises/addition/test_addition.py", DEVICES)
    file = write(tiny / "addition.py", "def add(a, b):\n    while True: pass\n")
    found = run_suites([suite], file, budget=1.0, seed="7", cwd=tiny).criteria
    assert [c.criterion.id for c in found] == ["on_device", "small"]
    assert {c.verdict for c in found} == {Verdict.TIMEOUT}
    assert "all tests together" in found[0].message
    assert "took too long" in found[1].message
