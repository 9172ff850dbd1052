"""nbgrader itself prints our points afterwards."""

import csv
import os
import subprocess
import sys
import sysconfig

import pytest

from grader.results.records import Verdict
from tests.grader.exports.conftest import criterion, exercise, simple, student

api = pytest.importorskip("nbgrader.api")
JANE = "Doe, Jane"


def addition(first, second, **more):
    criteria = (criterion("small", first, 2), criterion("any", second, 3, hidden=True))
    return exercise("addition", 0.0, *criteria, origin="x/addition.py", **more)


def points_of(database, folder):
    """What `nbgrader export` says: (assignment, student) -> (score, max_score)."""
    command = [sys.executable, "-m", "nbgrader", "export", f"--db={database}", "--to", str(folder / "grades.csv")]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    with (folder / "grades.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    return {(row["assignment"], row["student_id"]): (float(row["score"]), float(row["max_score"])) for row in rows}


@pytest.fixture
def scripts_on_path(monkeypatch):
    """For nbgrader's own calls in these tests; `grader export` must do without."""
    monkeypatch.setenv("PATH", sysconfig.get_path("scripts"), prepend=os.pathsep)


@pytest.fixture
def database(tmp_path):
    return f"sqlite:///{tmp_path / 'gradebook.db'}"


def test_nbgrader_prints_our_points_and_a_second_export_updates_them(grader, written, tmp_path, database):
    first = written(
        student(
            "s01", 40.0, addition(Verdict.PASSED, Verdict.FAILED), name=JANE, submitted_at="2026-06-01T10:00:00+02:00"
        ),
        student("s02", 0.0, exercise("addition", 0.0, criterion("small", Verdict.MISSING), verdict=Verdict.MISSING)),
        simple("a,b", 100.0),
        student("team", 100.0, addition(Verdict.PASSED, Verdict.PASSED), group=("s03", "s04")),
    )
    result = grader("export", first, "--format", "nbgrader", "--into", tmp_path / "gradebook.db")
    assert result.exit_code == 0, result.output
    assert "a,b: nothing written" in result.output
    assert points_of(database, tmp_path) == {
        ("addition", "s01"): (2.0, 5.0), ("addition", "s02"): (0.0, 5.0),
        ("addition", "s03"): (5.0, 5.0), ("addition", "s04"): (5.0, 5.0),
    }  # fmt: skip
    with api.Gradebook(database) as gradebook:
        jane = gradebook.find_student("s01")
        assert (jane.first_name, jane.last_name) == ("Jane", "Doe")
        assert gradebook.find_submission("addition", "s01").timestamp.hour == 8
        grade = gradebook.find_grade("any", "addition", "addition", "s01")
        grade.manual_score, grade.extra_credit = 1.5, 0.5
        gradebook.db.commit()
        gradebook.update_or_create_student("s01", first_name="Janet")
    more = exercise("doubling", 100.0, criterion("twice"), origin="x/doubling.py")
    second = addition(Verdict.FAILED, Verdict.PASSED)
    wider = exercise("addition", 0.0, *second.criteria, criterion("new", points=4), origin="x/addition.py")
    result = grader(
        "export", written(student("s01", 80.0, wider, more, name=JANE)), "--format", "nbgrader", "--into", database
    )
    assert result.exit_code == 0, result.output
    points = points_of(database, tmp_path)
    assert points["addition", "s01"] == (1.5 + 0.5 + 4.0, 9.0)
    assert points["doubling", "s01"] == (2.0, 2.0)
    with api.Gradebook(database) as gradebook:
        grade = gradebook.find_grade("any", "addition", "addition", "s01")
        assert (grade.auto_score, grade.manual_score, grade.extra_credit) == (3.0, 1.5, 0.5)
        assert gradebook.find_student("s01").first_name == "Janet"


def test_a_fault_of_the_grader_is_left_to_a_person(grader, written, tmp_path, database):
    made = student("s01", 100.0, addition(Verdict.PASSED, Verdict.GRADER_FAULT, verdict=Verdict.GRADER_FAULT))
    result = grader("export", written(made), "--format", "nbgrader", "--into", tmp_path / "gradebook.db")
    assert "s01: addition: the grader was at fault; grade this by hand in nbgrader: any." in result.output
    with api.Gradebook(database) as gradebook:
        grade = gradebook.find_grade("any", "addition", "addition", "s01")
        assert (grade.auto_score, grade.needs_manual_grade) == (None, True)


def test_an_assignment_of_somebody_else_is_not_touched(grader, written, database, scripts_on_path):
    with api.Gradebook(database) as gradebook:
        gradebook.add_assignment("addition")
        gradebook.add_notebook("addition", "addition")
        gradebook.add_grade_cell("theirs", "addition", "addition", max_score=1, cell_type="code")
    result = grader("export", written(simple("s01", 100.0)), "--format", "nbgrader", "--into", database)
    assert result.exit_code == 2
    assert "with other grade cells (theirs)" in result.output


def test_a_database_that_cannot_be_opened_is_told(grader, written, tmp_path):
    (tmp_path / "g.db").write_text("no database, but text that is longer than a header")
    result = grader("export", written(simple("s01", 100.0)), "--format", "nbgrader", "--into", tmp_path / "g.db")
    assert result.exit_code == 2
    assert "the database cannot be used" in result.output
