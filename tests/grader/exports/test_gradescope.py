"""A document for each student that Gradescope reads."""

import json

from grader.results.records import Verdict
from tests.grader.exports.conftest import criterion, exercise, simple, student

TEST_KEYS = {"score", "max_score", "status", "name", "name_format", "number", "output", "output_format", "tags",
             "visibility", "extra_data"}  # fmt: skip
KEYS = {"score", "execution_time", "output", "output_format", "test_output_format", "test_name_format", "visibility",
        "stdout_visibility", "extra_data", "tests", "leaderboard"}  # fmt: skip


def class_of_one(**more):
    return student(
        "s/01", 62.5,
        exercise(
            "addition", 50.0, criterion("small", points=2),
            criterion("any", Verdict.FAILED, 2, hidden=True, message="wrong\x1b[2J", hint="Think."),
            criterion("odd", Verdict.GRADER_FAULT, 1), title="One | *two*", problem="does not import <b>",
        ),
        exercise("doubling", 0.0, criterion("twice", Verdict.MISSING), optional=True, verdict=Verdict.MISSING), **more,
    )  # fmt: skip


def test_public_criteria_are_visible_and_hidden_ones_after_publishing(grader, written, tmp_path):
    result = grader(
        "export", written(class_of_one()), "--format", "gradescope", "--out", tmp_path / "o", "--points", 40
    )
    assert result.exit_code == 0, result.output
    document = json.loads((tmp_path / "o/s_01/results.json").read_text())
    assert set(document) <= KEYS
    assert document["score"] == 25.0
    small, hidden, fault = document["tests"]
    assert all(set(test) <= TEST_KEYS for test in document["tests"])
    assert (small["score"], small["max_score"], small["status"], small["visibility"]) == (2, 2, "passed", "visible")
    assert (hidden["score"], hidden["status"], hidden["visibility"]) == (0, "failed", "after_published")
    assert hidden["output"] == "wrong\\x1b[2J\nHint: Think."
    assert "score" not in fault
    assert "neither for nor against you" in fault["output"]
    assert "| One \\| \\*two\\* | 50 of 100 |" in document["output"]
    assert "addition: does not import \\<b\\>" in document["output"]
    assert document["output_format"] == "md"


def test_when_hidden_criteria_are_shown_can_be_chosen(grader, written, tmp_path):
    options = ("--format", "gradescope", "--out", tmp_path / "o")
    assert grader("export", written(class_of_one()), *options, "--hidden", "hidden").exit_code == 0
    document = json.loads((tmp_path / "o/s_01/results.json").read_text())
    assert [test["visibility"] for test in document["tests"]] == ["visible", "hidden", "visible"]
    result = grader("export", written(class_of_one()), *options, "--hidden", "never")
    assert result.exit_code == 2
    assert "after_due_date" in result.output


def test_no_score_is_no_file_and_names_of_folders_are_safe_and_unique(grader, written, tmp_path):
    students = [simple(name, 1.0) for name in ("../x", ".._x", "A", "a", "..")] + [simple("none", None)]
    result = grader("export", written(*students), "--format", "gradescope", "--out", tmp_path / "o")
    assert sorted(path.name for path in (tmp_path / "o").iterdir()) == ["A", "_x", "_x (2)", "a (2)", "student"]
    assert "none: no file, because the student has no score." in result.output
