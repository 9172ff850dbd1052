"""A second run adds to what is known, and never hides it."""

import json

import pytest

from tests.grader.conftest import write

RIGHT = "def add(a, b):\n    return a + b\n"
TWICE = "def double(a):\n    return 2 * a\n"


@pytest.fixture
def pile(tmp_path):
    for student in ("anna", "ben"):
        write(tmp_path / "pile" / student / "addition.py", RIGHT)
        write(tmp_path / "pile" / student / "doubling.py", TWICE)
    return tmp_path / "pile"


@pytest.fixture
def grade(tiny, grader, pile, tmp_path):
    def run(*how):
        result = grader("grade", pile, "--out", tmp_path / "out", "--course", tiny, *how)
        assert result.exit_code == 0, result.output
        found = json.loads((tmp_path / "out/results.json").read_text())
        return {
            s["id"]: (s["score"], {e["name"]: e["score"] for e in s["exercises"]}, s["notes"])
            for s in found["students"]
        }

    return run


def test_one_exercise_into_a_folder_with_fuller_results_hides_nothing(grade, pile):
    grade()
    write(pile / "anna/addition.py", "def add(a, b):\n    return 2\n")
    write(pile / "ben/doubling.py", "def double(a):\n    return a\n")
    found = grade("--exercise", "addition")
    assert found["anna"] == (87.5, {"addition": 50.0, "doubling": 100.0}, [])
    assert found["ben"][:2] == (100.0, {"addition": 100.0, "doubling": 100.0})
    assert found["ben"][2] == ["doubling: the score is of an older file; grade it again"]
    assert grade()["ben"] == (25.0, {"addition": 100.0, "doubling": 0.0}, [])


def test_quick_keeps_what_was_trained(tiny, grade, pile):
    suite = tiny / "exercises/addition/test_addition.py"
    suite.write_text(suite.read_text().replace('kind="robustness"', 'kind="robustness", long=True'))
    write(pile / "anna/addition.py", "def add(a, b):\n    return a + b if b else 0\n")
    whole = grade()
    assert whole["anna"][1]["addition"] == 75.0
    assert grade("--quick") == whole
    write(pile / "anna/addition.py", RIGHT + "\n\nx = 1\n")
    assert grade("--quick")["anna"][1]["addition"] == 100.0  # of the others: nothing is known of this file


def test_a_part_of_the_class_is_graded_and_the_others_stay(grade, pile, tmp_path, grader, tiny):
    grade()
    for student in ("anna", "ben"):
        write(pile / student / "addition.py", "def add(a, b):\n    return 2\n")
    chosen = write(tmp_path / "chosen.txt", "# these only\nben\n")
    found = grade("--students", chosen)
    assert (found["anna"][0], found["ben"][0]) == (100.0, 87.5)
    write(chosen, "bne\n")
    result = grader("grade", pile, "--out", tmp_path / "out", "--course", tiny, "--students", chosen)
    assert result.exit_code == 2 and "did you mean 'ben'?" in result.output


def test_what_was_there_before_is_kept_beside(grade, pile, tmp_path):
    grade()
    before = (tmp_path / "out/grades.csv").read_text()
    grade()
    assert not list((tmp_path / "out").glob("earlier/*"))  # nothing has changed
    write(pile / "anna/addition.py", "def add(a, b):\n    return 2\n")
    grade()
    (kept,) = (tmp_path / "out/earlier").iterdir()
    assert (kept / "grades.csv").read_text() == before
    assert json.loads((kept / "results.json").read_text())["students"][0]["score"] == 100.0


def test_results_say_how_they_came_about(grade, tmp_path):
    grade("--exercise", "addition", "--quick")
    made = json.loads((tmp_path / "out/results.json").read_text())["made"]
    assert (made["exercises"], made["quick"], made["diagnosis"]) == (["addition"], True, True)
    assert made["at"] and made["torch"] and len(made["seed"]) == 16


def test_a_changed_weight_or_title_judges_nothing_anew(tiny, grade, tmp_path):
    import sqlite3

    def entries():
        return sqlite3.connect(tmp_path / "out/journal.sqlite").execute("SELECT count(*) FROM graded").fetchone()

    grade()
    before = entries()
    manifest = tiny / "course.toml"
    manifest.write_text(manifest.read_text().replace("weight = 3", "weight = 5").replace("Twice", "Two times"))
    grade()
    assert entries() == before
