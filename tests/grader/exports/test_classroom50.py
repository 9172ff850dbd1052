"""``classroom50/result/v1``, with whole numbers only."""

import json

from grader.exports.base import Options
from grader.exports.classroom50 import export
from grader.results.records import Verdict
from tests.grader.exports.conftest import criterion, exercise, results_of, simple, student

FIELDS = ["classroom=cs", "assignment=hw1", "submission=submit/1", "commit=https://x/c", "release=https://x/r"]
MADE = student(
    "s01", 33.33,
    exercise("addition", 33.33, criterion("small", points=2), criterion("any", Verdict.FAILED, 3),
             criterion("odd", Verdict.GRADER_FAULT)),
    submitted_at="2026-06-01T16:32:01+02:00",
)  # fmt: skip


def test_the_document_has_exactly_the_fields_of_the_form(grader, written, tmp_path):
    given = [word for field in FIELDS for word in ("--field", field)]
    result = grader("export", written(MADE), "--format", "classroom50", "--out", tmp_path / "o", *given)
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    assert json.loads((tmp_path / "o/s01/result.json").read_text()) == {
        "schema": "classroom50/result/v1", "classroom": "cs", "assignment": "hw1", "submission": "submit/1",
        "commit": "https://x/c", "release": "https://x/r", "review": "https://x/c", "datetime": "2026-06-01T14:32:01Z",
        "score": 2, "max-score": 5,
        "tests": [
            {"test-name": "addition/small", "passed": True, "score": 2, "max-score": 2},
            {"test-name": "addition/any", "passed": False, "score": 0, "max-score": 3},
        ],
    }  # fmt: skip


def test_the_runner_of_classroom_50_tells_the_fields_and_what_is_missing_is_named():
    report = export(results_of(simple("s01", 0.0)), Options(), {"CLASSROOM": "cs", "COMMIT_URL": "u"})
    document = json.loads(report.files["s01/result.json"])
    assert (document["classroom"], document["commit"], document["review"]) == ("cs", "u", "u")
    assert "--field release=…: not given, so it is empty." in report.remarks
    assert any("when it was handed in is not known" in remark for remark in report.remarks)


def test_a_field_that_is_none_is_refused(grader, written, tmp_path):
    options = (written(MADE), "--format", "classroom50", "--out", tmp_path / "o")
    assert "did you mean 'commit'?" in grader("export", *options, "--field", "comit=x").output
    assert "write NAME=VALUE" in grader("export", *options, "--field", "commit").output
