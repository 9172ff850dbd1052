"""No double jeopardy: a mistake in an earlier exercise does not cost points in one that builds on it."""

import json
import os
import sys
import types
from pathlib import Path

import pytest
import torch

from grader.course import find_course
from grader.judge.processes.oneshot import run_suites
from grader.judge.processes.task import Part
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


COURSE = find_course(Path(__file__).parent)


@pytest.mark.proof
@pytest.mark.parametrize("name", sorted({name for exercise in COURSE.exercises for name in exercise.builds_on}))
def test_a_stand_in_is_no_solution(name):
    """Student code can read it. That it serves later exercises is proven with their solutions and variants."""
    exercise = COURSE.exercise(name)
    found = run_suites(
        COURSE.suites(exercise), COURSE.stand_in(name), budget=100, seed="", cwd=COURSE.root, part=Part.SHORT
    ).criteria
    points = sum(c.criterion.points for c in found if c.passed)
    assert points < sum(c.criterion.points for c in found) / 2, [c.criterion.id for c in found if c.passed]


def both(name):
    """The solution and the stand-in of an exercise, as modules."""
    modules = []
    for path in (COURSE.solution(COURSE.exercise(name)), COURSE.stand_in(name)):
        module = types.ModuleType(name)
        sys.modules[name] = module  # where NamedTuple looks
        exec(compile(path.read_text(), path, "exec"), module.__dict__)  # our own files
        modules.append(module)
    del sys.modules[name]
    return modules


@pytest.mark.parametrize("beam_size", [1, 2, 5])
@pytest.mark.parametrize("max_len", [1, 3, 7])
def test_the_beam_that_stands_in_finds_the_same_tokens(beam_size, max_len):
    solution, stand_in = both("beam_search")
    for seed in range(40):

        def step(prefixes, seed=seed):
            rows = [torch.Generator().manual_seed(hash((seed, *prefix)) % 2**40) for prefix in prefixes]
            return torch.stack([torch.randn(6, generator=row) * 2 for row in rows]).log_softmax(-1)

        how = {
            "sos": 1,
            "eos": 2,
            "beam_size": beam_size,
            "max_len": max_len,
            "length_alpha": (0.0, 1.0, 0.6)[seed % 3],
        }
        assert stand_in.beam_search(step, **how)[0].tokens == solution.beam_search(step, **how)[0].tokens


def test_the_attention_that_stands_in_gives_the_same_outputs():
    modules = [module.MultiHeadAttention(8, 2).eval() for module in both("multihead_attention")]
    modules[1].load_state_dict(modules[0].state_dict())
    x, y = torch.randn(3, 4, 8), torch.randn(3, 5, 8)
    masks = (None, torch.rand(4, 5) < 0.5, torch.rand(3, 1, 5) < 0.4, torch.rand(3, 2, 4, 5) < 0.3)
    for mask in masks:
        one, other = (module(x, y, y, mask)[0] for module in modules)
        torch.testing.assert_close(one, other)


def test_the_positions_that_stand_in_are_the_same():
    for d_model in (1, 2, 7, 64):
        x = torch.randn(2, 300, d_model)
        one, other = (module.PositionalEncoding(d_model, max_len=300)(x) for module in both("positional_encoding"))
        torch.testing.assert_close(one, other, rtol=0, atol=1e-4)
