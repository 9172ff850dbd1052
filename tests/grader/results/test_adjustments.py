"""What a teacher changes by hand survives every regrade, is shown, and can be undone."""

import csv
import json

import pytest

from tests.grader.conftest import write

HALF = "def add(a, b):\n    return 2\n"  # 2 of 4 points
RIGHT = "def add(a, b):\n    return a + b\n"


@pytest.fixture
def graded(tiny, grader, tmp_path):
    write(tmp_path / "pile/anna/addition.py", HALF)
    write(tmp_path / "pile/ben/addition.py", RIGHT)

    def grade(*how):
        return grader(
            "grade", tmp_path / "pile", "--out", tmp_path / "out", "--exercise", "addition", "--course", tiny, *how
        )

    assert grade().exit_code == 0
    return grade


@pytest.fixture
def adjust(grader, tiny, tmp_path):
    def run(*words):
        return grader("adjust", tmp_path / "out", *words, "--course", tiny)

    return run


def totals(tmp_path):
    return {row["student"]: row["total"] for row in csv.DictReader((tmp_path / "out/grades.csv").open())}


def test_points_by_hand_survive_a_regrade_and_can_be_undone(graded, adjust, tmp_path, tiny):
    assert totals(tmp_path) == {"anna": "50.0", "ben": "100.0"}
    result = adjust("anna", "addition", "--points", "+1", "--because", "the task was unclear")
    assert result.exit_code == 0, result.output
    assert "1. anna, addition: +1 points by hand: the task was unclear  (total now 75)" in result.output
    suite = tiny / "tests/hidden/test_addition.py"
    suite.write_text(suite.read_text() + "\n# changed, so that everything is judged again\n")
    assert graded().exit_code == 0
    assert totals(tmp_path) == {"anna": "75.0", "ben": "100.0"}
    assert json.loads((tmp_path / "out/results.json").read_text())["students"][0]["score"] == 50.0  # as it was judged
    assert "[undone]" in adjust("--undo", 1).output
    graded()
    assert totals(tmp_path) == {"anna": "50.0", "ben": "100.0"}


def test_points_can_be_set_and_stay_within_what_there_is(graded, adjust, tmp_path):
    assert adjust("anna", "addition", "--points", "4", "--because", "shown at the board").exit_code == 0
    assert adjust("ben", "addition", "--points", "-9", "--because", "copied").exit_code == 0
    graded()
    assert totals(tmp_path) == {"anna": "100.0", "ben": "0.0"}
    assert "0 to 4 points, not 5" in adjust("anna", "addition", "--points", "5", "--because", "x").output


def test_a_criterion_is_dropped_for_everybody_or_for_one(graded, adjust, tmp_path):
    assert adjust("addition", "--drop-criterion", "any", "--because", "not taught yet").exit_code == 0
    graded()
    assert totals(tmp_path) == {"anna": "66.67", "ben": "100.0"}
    assert adjust("anna", "addition", "--drop-criterion", "zero", "--because", "ill").exit_code == 0
    graded()
    assert totals(tmp_path) == {"anna": "100.0", "ben": "100.0"}


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (("ana", "addition", "--points", "3", "--because", "x"), "did you mean 'anna'?"),
        (("anna", "additon", "--points", "3", "--because", "x"), "did you mean 'addition'?"),
        (("anna", "addition", "--points", "3"), "Say why"),
        (("anna", "addition", "--because", "x"), "Say one of --points and --drop-criterion"),
        (("addition", "--points", "3", "--because", "x"), "Say whose"),
        (("anna", "addition", "--points", "3.5", "--because", "x"), "write 12, +3 or -2"),
        (("addition", "--drop-criterion", "zeros", "--because", "x"), "did you mean 'zero'?"),
        (("--undo", "7"), "There is no adjustment 7"),
    ],
)
def test_what_cannot_be_meant_is_refused(graded, adjust, tmp_path, words, answer):
    result = adjust(*words)
    assert result.exit_code == 2
    assert answer in result.output
    assert not (tmp_path / "out/adjustments.json").exists()


def test_points_answer_an_open_question(graded, adjust, tmp_path, tiny, grader):
    write(tmp_path / "pile/carl/additoin.py", RIGHT)
    assert graded().exit_code == 4
    assert totals(tmp_path)["carl"] == ""
    assert adjust("carl", "addition", "--points", "4", "--because", "it was additoin.py").exit_code == 0
    assert graded().exit_code == 0
    assert totals(tmp_path)["carl"] == "100.0"
