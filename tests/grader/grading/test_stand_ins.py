"""No double jeopardy: a mistake in an earlier exercise does not cost points in one that builds on it."""

import json
import os

import pytest

from grader.course import find_course
from grader.judge.processes.oneshot import run_suites
from grader.results.records import Verdict
from tests.grader.conftest import write

RIGHT = "def add(a, b):\n    return a + b\n"
WRONG = "def add(a, b):\n    return a - b\n"
DOUBLE = "from addition import add\ndef double(a):\n    return add(a, a)\n"


@pytest.fixture
def building(tiny):
    """The small course, with a second exercise that builds on the first."""
    manifest = (tiny / "course.toml").read_text().replace("budget = 8", 'budget = 8\nbuilds_on = ["addition"]')
    (tiny / "course.toml").write_text(manifest)
    write(tiny / "solutions/stand_ins/addition.py", "def add(a, b):\n    return sum((a, b))\n")
    write(
        tiny / "solutions/doubling.py",
        DOUBLE.replace("    return", "    ### BEGIN SOLUTION\n    return") + "    ### END SOLUTION\n",
    )
    return tiny


@pytest.fixture
def graded(building, grader, tmp_path):
    def run(students, *options):
        for student, files in students.items():
            for name, text in files.items():
                write(tmp_path / "submissions" / student / f"{name}.py", text)
        out = tmp_path / "out"
        result = grader("grade", tmp_path / "submissions", "--out", out, "--course", building, *options)
        assert result.exit_code == 0, result.output
        document = json.loads((out / "results.json").read_text())
        exercises = {s["id"]: {e["name"]: e for e in s["exercises"]} for s in document["students"]}
        return exercises, result.output

    return run


@pytest.mark.parametrize("options", [(), ("--unconfined",)])
def test_the_better_of_two_counts_and_is_said(graded, options):
    exercises, output = graded(
        {
            "right": {"addition": RIGHT, "doubling": DOUBLE},
            "wrong-below": {"addition": WRONG, "doubling": DOUBLE},
            "nothing-below": {"doubling": DOUBLE},
            "wrong-above": {"addition": RIGHT, "doubling": DOUBLE.replace("a, a", "a, 1")},
            "all-wrong": {"addition": WRONG, "doubling": DOUBLE.replace("a, a", "a, 1")},
            "syntax-below": {"addition": "def add(a, b:\n", "doubling": DOUBLE},
        },
        *options,
    )
    found = {name: (e["doubling"]["score"], e["doubling"]["stand_ins"]) for name, e in exercises.items()}
    assert found == {
        "right": (100.0, []),
        "wrong-below": (100.0, ["addition"]),
        "nothing-below": (100.0, []),
        "wrong-above": (0.0, []),
        "all-wrong": (0.0, []),
        "syntax-below": (100.0, ["addition"]),
    }
    assert exercises["wrong-below"]["addition"]["score"] < 100
    assert "doubling: graded with the course's addition" in " ".join(output.split())


def test_parts_that_are_right_but_do_not_fit_together_cost_nothing(graded):
    """Each alone keeps to the contract, which does not say whether the numbers have names."""
    positional = "def add(a, b, /):\n    return a + b\n"
    by_name = "from addition import add\ndef double(a):\n    return add(a=a, b=a)\n"
    exercises, _ = graded({"s": {"addition": positional, "doubling": by_name}})
    assert exercises["s"]["addition"]["score"] == 100
    assert (exercises["s"]["doubling"]["score"], exercises["s"]["doubling"]["stand_ins"]) == (100.0, ["addition"])


def test_an_exercise_alone_is_graded_with_both_too(graded):
    students = {"s": {"addition": WRONG, "doubling": DOUBLE}}
    exercises, _ = graded(students, "--exercise", "doubling")
    assert exercises["s"]["doubling"]["stand_ins"] == ["addition"]


def test_the_second_run_finds_both_results_in_the_journal(graded, tmp_path):
    students = {"s": {"addition": WRONG, "doubling": DOUBLE}}
    first, _ = graded(students)
    stamp = os.stat(tmp_path / "out/journal.sqlite").st_size
    assert graded(students)[0] == first
    assert os.stat(tmp_path / "out/journal.sqlite").st_size == stamp


def test_plain_pytest_finds_the_modules_of_the_other_exercises(building, grader):
    write(building / "exercises/doubling/doubling.py", DOUBLE)
    assert grader("check", "doubling", "--course", building).exit_code == 0
    write(building / "exercises/addition/addition.py", WRONG)
    assert grader("check", "doubling", "--course", building).exit_code == 1


COURSE = find_course(__import__("pathlib").Path(__file__).parent)


@pytest.mark.proof
@pytest.mark.parametrize("name", ["attention", "multihead_attention", "positional_encoding", "beam_search"])
def test_a_stand_in_does_right_whatever_it_does(name):
    """It need not have every function, but what it has passes the exercise's own tests."""
    exercise = COURSE.exercise(name)
    suites = [COURSE.public_suite(exercise), COURSE.hidden_suite(exercise)]
    found = run_suites(suites, COURSE.stand_in(name), budget=100, seed=COURSE.secret, cwd=COURSE.root)
    assert {c.criterion.id: c.message for c in found if c.verdict not in (Verdict.PASSED, Verdict.MISSING)} == {}
    assert sum(c.passed for c in found) > 5
