"""The device fixture, in process and confined: what breaks on an accelerator loses its criterion, with the line."""

import textwrap

import pytest

from grader.course import load_course
from grader.judge.processes.task import Task
from grader.judge.processes.warm import WarmJudge
from grader.sandbox.layers import find_layers
from tests.grader.conftest import make_tiny, write

pytestmark = pytest.mark.proof

TESTS = '''
import torch
from grader.judge import assert_equal, assert_not_used, assert_same_on_device, criterion


@criterion("On the accelerator", points=1, kind="device", hint="Use x.device.")
def test_device(student, device):
    """The result is the same there, and stays there."""
    assert_same_on_device(student.add, device, "add(x, y)", torch.ones(3), torch.ones(3))


@criterion("A module moves", points=1, kind="device", hint="Use a buffer.")
def test_module(student, device):
    """A module goes where it is sent."""
    assert_same_on_device(student.Shift(), device, "Shift()(x)", torch.ones(3))


@criterion("By hand", points=1, kind="value", hint="Add it yourself.")
def test_by_hand(student):
    """The built-in sum is not used."""
    assert_not_used(student, "Bilinear")
    assert_equal(student.add(1, 2), 3, "add(1, 2)")
'''

SHIFT = """
import torch
class Shift(torch.nn.Module):
    def __init__(self):
        super().__init__()
        {table}
    def forward(self, x):
        return x + self.table
"""
RIGHT = "def add(x, y):\n    return x + y\n" + SHIFT.format(table='self.register_buffer("table", torch.arange(3.0))')
CASES = {
    "right": (RIGHT, {}),
    "default-device": (RIGHT.replace("return x + y", "return x + torch.ones(3)"), {"device": "error"}),
    "back-on-the-cpu": (RIGHT.replace("return x + y", "return (x + y).cpu()"), {"device": "failed"}),
    "hard-coded": (RIGHT.replace("return x + y", "return x.cuda() + y.cuda()"), {"device": "error"}),
    "plain-attribute": (RIGHT.replace('register_buffer("table", ', "table = ("), {"module": "error"}),
}


@pytest.fixture(scope="module")
def judge(tmp_path_factory):
    course = make_tiny(tmp_path_factory.mktemp("devices"))
    write(course / "exercises/addition/test_addition.py", TESTS)
    write(course / "tests/hidden/test_addition.py", "")
    write(course / "solutions/addition.py", RIGHT)
    course = load_course(course / "course.toml")
    judge = WarmJudge(course, course.exercises[:1], find_layers())
    yield judge
    judge.close()


@pytest.fixture
def wrong(judge):
    """Code → the criteria that it fails, confined or in process."""

    def run(code, confined):
        sources = {"addition": ("addition.py", code.encode())}
        criteria = judge.grade(Task(exercise="addition", sources=sources, in_process=not confined)).criteria
        assert len(criteria) == 3
        return {c.criterion.id: (c.verdict.value, c.line) for c in criteria if not c.passed}

    return run


@pytest.mark.parametrize("confined", [True, False], ids=["confined", "in-process"])
def test_device_mistakes_lose_their_criterion_and_name_the_line(wrong, confined):
    scalar = "    if isinstance(x, int): return x + y\n"  # the test by hand adds plain numbers
    for name, (code, failing) in CASES.items():
        found = wrong(code.replace("def add(x, y):\n", f"def add(x, y):\n{scalar}"), confined)
        assert {k: v for k, (v, _) in found.items()} == failing, name
        for verdict, line in found.values():
            assert verdict != "error" or line.startswith("addition.py:"), name


def test_a_forbidden_name_is_found_in_the_source(wrong):
    code = RIGHT + textwrap.dedent("""
        def unused():
            from torch import nn as layers
            return layers.Bilinear(1, 1, 1)
        """)
    assert wrong(code, True)["by_hand"][0] == "failed"
    for text in ("exec('')", "import builtins", "from marshal import loads", "import runpy as r", "f = __import__"):
        assert wrong(f"{RIGHT}\ndef unused():\n    {text}\n", True)["by_hand"][0] == "failed", text
    own = "model = torch.nn.Linear(1, 1)\nmodel.eval()\ndef Bilinear(x):\n    return x\nBilinear(1)\n"
    compared = "if __name__ == '__main__':\n    torch.nn.Bilinear(1, 1, 1)\n"
    assert wrong(RIGHT + own + compared, True) == {}
