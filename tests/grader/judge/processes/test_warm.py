"""A warm judge survives what happens to its parts."""

import os
import random
import signal
import tempfile
import time
from pathlib import Path

import pytest
from msgspec.structs import replace

from grader.course import load_course
from grader.judge.processes.task import Task
from grader.judge.processes.warm import WarmJudge
from grader.judge.suite.seeding import seed_for
from grader.results.records import Verdict
from grader.results.scoring import exercise_score
from grader.sandbox.layers import find_layers

RIGHT = b"def add(a, b):\n    return a + b\n"


@pytest.fixture
def judge(tiny):
    course = load_course(tiny / "course.toml")
    judge = WarmJudge(course, course.exercises, find_layers())
    yield judge
    judge.close()


def task(code=RIGHT):
    return Task(exercise="addition", sources={"addition": ("addition.py", code)})


def children(pid):
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            if int(path.read_text().rpartition(")")[2].split()[1]) == pid:
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


@pytest.mark.attack
def test_verdicts_do_not_leak_from_one_submission_to_the_next(judge):
    poison = b"import builtins, random, torch\ntorch.tensor = None\nrandom.seed(3)\ndef add(a, b):\n    return None\n"
    for code, score in ((RIGHT, 100), (poison, 0), (RIGHT, 100), (b"while 1: pass", 0), (RIGHT, 100)):
        assert exercise_score(judge.grade(task(code))) == score


@pytest.mark.attack
def test_a_killed_zygote_is_replaced_and_the_run_goes_on(judge):
    assert exercise_score(judge.grade(task())) == 100
    for pid in children(judge.process.pid):
        os.kill(pid, signal.SIGKILL)
    time.sleep(0.1)
    assert exercise_score(judge.grade(task())) == 100


@pytest.mark.attack
def test_a_killed_judge_is_replaced_leaves_nothing_and_the_run_goes_on(judge, monkeypatch):
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)  # a worker of root's is somebody else
        monkeypatch.setenv("TMPDIR", folder)
        assert exercise_score(judge.grade(task())) == 100
        os.kill(judge.process.pid, signal.SIGKILL)
        assert exercise_score(judge.grade(task())) == 100
        assert not list(Path(folder).iterdir())


def test_a_private_temporary_folder_is_no_trouble(judge, tmp_path, monkeypatch):
    tmp_path.chmod(0o700)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    assert exercise_score(judge.grade(task())) == 100


def test_nothing_and_unusable_files_have_their_verdicts(judge):
    nothing = judge.grade(Task(exercise="addition", sources={}))
    assert {r.verdict for r in nothing.criteria} == {Verdict.MISSING}
    unusable = judge.grade(Task(exercise="addition", sources={}, problem="addition.py is no ordinary file."))
    assert {r.verdict for r in unusable.criteria} == {Verdict.ERROR}
    assert unusable.problem == "addition.py is no ordinary file."


def test_a_criterion_that_the_solution_fails_is_our_fault(tiny, judge):
    solution = tiny / "solutions/addition.py"
    solution.write_text(solution.read_text().replace("a + b", "a + b if b else 0"))
    result = judge.grade(task())
    assert {r.criterion.id: r.verdict.value for r in result.criteria} == {
        "small": "passed",
        "zero": "grader_fault",
        "any": "passed",
    }
    assert "the solution itself fails it" in result.criteria[1].message


def test_another_seed_and_the_first_failure(judge):
    known = random.Random(seed_for("", 0, "addition/test_any")).randrange(1000)
    unlucky = task(f"def add(a, b):\n    return a + b + (a == {known})\n".encode())
    assert [c.passed for c in judge.grade(unlucky).criteria] == [True, True, False]
    assert [c.passed for c in judge.grade(replace(unlucky, seed="other")).criteria] == [True, True, True]
    stopped = judge.grade(replace(task(b"def add(a, b):\n    return a - b\n"), first_failure=True))
    assert [(c.criterion.id, c.passed) for c in stopped.criteria] == [("small", False)]
    assert len(judge.grade(unlucky).criteria) == 3
