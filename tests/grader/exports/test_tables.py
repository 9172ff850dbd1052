"""``csv`` and ``json``: the scores as a table."""

import json

from grader.exports.csv import grades_csv
from grader.results.records import Verdict
from grader.results.schema import load_results
from tests.grader.exports.conftest import exercise, simple, student

LEFT_OUT = exercise("doubling", 0.0, optional=True, verdict=Verdict.MISSING)


def test_csv_is_the_grades_csv_of_a_run(grader, written):
    path = written(student("=1+1", 50.0, exercise("addition", 50.0), LEFT_OUT), simple("s02", None))
    result = grader("export", path, "--format", "csv")
    assert result.stdout == "student,addition,doubling,total\n'=1+1,50.0,,50.0\ns02,,\n"
    assert grades_csv(load_results(path)) == result.stdout


def test_json_has_scores_and_nothing_that_a_student_wrote(grader, written, tmp_path):
    path = written(student("s01", 50.0, exercise("addition", 50.0), LEFT_OUT, name="Ann", group=("a", "b")))
    out = tmp_path / "new/grades.json"
    result = grader("export", path, "--format", "json", "--out", out)
    assert result.output == f"Written: {out}\n"
    assert json.loads(out.read_text()) == {
        "format": 1, "course": "Tiny", "provisional": False,
        "students": [{
            "id": "s01", "name": "Ann", "group": ["a", "b"], "score": 50.0, "final": None, "needs_review": False,
            "exercises": {"addition": 50.0, "doubling": None},
        }],
    }  # fmt: skip
