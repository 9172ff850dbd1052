"""Short criteria of everybody come first; then a provisional table; then what trains a model."""

import json
import sqlite3

import pytest

from grader.grading import run as grading
from tests.grader.conftest import write

LONG = '''

@criterion("Learns", points=4, kind="value", hint="Again.", long=True)
def test_learns(student):
    """It learns to add."""
    assert_equal(student.add(2, 2), 4, "add(2, 2)")
'''


@pytest.fixture
def course(tiny):
    suite = tiny / "tests/hidden/test_addition.py"
    imports, line, rest = suite.read_text().partition("import assert_equal, criterion\n")
    suite.write_text(imports + line + LONG + rest)
    manifest = tiny / "course.toml"
    manifest.write_text(manifest.read_text().replace("hidden_criteria = 1", "hidden_criteria = 2"))
    return tiny


@pytest.fixture
def submissions(tmp_path):
    for number in range(3):
        write(tmp_path / f"submissions/s{number}/addition.py", f"def add(a, b):\n    return a + b  # {number}\n")
    return tmp_path / "submissions"


@pytest.fixture
def grade(course, submissions, grader, tmp_path):
    def run(*options):
        result = grader("grade", submissions, "--out", tmp_path / "out", "--course", course, *options)
        assert result.exit_code == 0, result.output
        return result.output

    return run


def entries(tmp_path):
    with sqlite3.connect(tmp_path / "out/journal.sqlite") as journal:
        rows = journal.execute("SELECT student, exercise, result FROM graded ORDER BY id").fetchall()
    return [
        (student, exercise, [c["criterion"]["id"] for c in json.loads(result)["criteria"]])
        for student, exercise, result in rows
        if exercise == "addition"
    ]


def document(tmp_path):
    return json.loads((tmp_path / "out/results.json").read_text())


def test_the_first_table_comes_before_anything_is_trained(grade, tmp_path, monkeypatch):
    seen = []
    original = grading.ClassRun.judge_long

    def judge_long(self, on_done, *say):
        seen.append(document(tmp_path))
        assert not (tmp_path / "out/grades.csv").exists()
        original(self, on_done, *say)

    monkeypatch.setattr(grading.ClassRun, "judge_long", judge_long)
    output = grade()
    (first,) = seen
    assert first["provisional"] is True
    exercise = first["students"][0]["exercises"][0]
    assert (exercise["pending"], exercise["points_possible"]) == (True, 4)
    assert [c["id"] for c in exercise["criteria"]] == ["small", "zero", "any"]
    last = document(tmp_path)
    assert last["provisional"] is False
    exercise = last["students"][0]["exercises"][0]
    assert (exercise["pending"], exercise["points_possible"]) == (False, 8)
    assert [c["id"] for c in exercise["criteria"]] == ["small", "zero", "learns", "any"], "in the order of the suites"
    assert output.count("Provisional: criteria that train a model are still to come.") == 1
    judged = entries(tmp_path)
    assert [ids for *_, ids in judged[:3]] == [["small", "zero", "any"]] * 3
    assert [ids for *_, ids in judged[3:]] == [["learns"]] * 3


def test_a_run_that_was_stopped_goes_on_in_the_right_phase(grade, grader, course, submissions, tmp_path, monkeypatch):
    original = grading.ClassRun.judge_long

    def interrupt(self, on_done, *say):
        def stop(work):
            raise KeyboardInterrupt

        original(self, stop)

    monkeypatch.setattr(grading.ClassRun, "judge_long", interrupt)
    stopped = grader("grade", submissions, "--out", tmp_path / "out", "--course", course)
    assert stopped.exit_code == 130
    before = entries(tmp_path)
    assert len(before) == 4
    assert document(tmp_path)["provisional"] is True
    monkeypatch.undo()
    grade()
    after = entries(tmp_path)
    assert after[:4] == before
    assert [ids for *_, ids in after[4:]] == [["learns"]] * 2
    assert document(tmp_path)["provisional"] is False


def test_a_quick_run_is_the_first_phase_and_a_later_run_adds_the_rest(grade, tmp_path):
    output = grade("--quick")
    assert "Provisional" not in output
    assert len(entries(tmp_path)) == 3
    assert document(tmp_path)["students"][0]["exercises"][0]["points_possible"] == 4
    grade()
    assert [ids for *_, ids in entries(tmp_path)[3:]] == [["learns"]] * 3


def test_where_everything_is_known_no_provisional_table_is_shown(grade):
    assert "Provisional" in grade()
    assert "Provisional" not in grade()


def test_unconfined_has_the_same_phases(grade, tmp_path):
    assert "Provisional" in grade("--unconfined")
    assert [ids for *_, ids in entries(tmp_path)[3:]] == [["learns"]] * 3
