"""``grader export`` as a teacher calls it."""

import json
import subprocess
import sys

import pytest

from grader.exports import FORMATS
from grader.results.schema import as_json
from tests.grader.conftest import MANIFEST
from tests.grader.exports.conftest import results_of, simple


@pytest.fixture
def results(tmp_path, monkeypatch):
    (tmp_path / "course.toml").write_text(MANIFEST)
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "results.json"
    path.write_text(as_json(results_of(simple("501", 50.0), provisional=True)))
    return path


def test_the_help_lists_every_format_in_80_columns(grader):
    text = grader("export", "--help").output
    assert all(f"\n  {name} " in text for name in FORMATS)
    assert all(len(line) <= 80 for line in text.splitlines())


def test_provisional_results_are_exported_and_said_to_be_so(grader, results):
    result = grader("export", results, "--format", "json")
    assert json.loads(result.stdout)["provisional"] is True
    assert "provisional" in result.stderr


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--format", "canvs"], "did you mean 'canvas'?"),
        (["--format", "canvas"], "--into: the format canvas needs it"),
        (["--format", "canvas", "--into", "x"], "--out: the format canvas needs it"),
        (["--format", "gradescope"], "--out: the format gradescope needs it"),
        (["--format", "csv", "--column", "x"], "--column: the format csv does not use it. It takes: --out."),
        (["--format", "json", "--dry-run"], "--dry-run: the format json does not use it"),
    ],
)
def test_options_that_do_not_fit_the_format_are_refused(grader, results, options, words):
    result = grader("export", results, *options)
    assert result.exit_code == 2
    assert words in result.output


def test_a_folder_of_results_is_fine_and_anything_else_is_told(grader, results, tmp_path):
    assert grader("export", tmp_path, "--format", "csv").stdout.startswith("student,")
    result = grader("export", tmp_path / "nowhere", "--format", "csv")
    assert result.exit_code == 2
    assert "not found" in result.output


def test_a_place_that_cannot_be_written_is_told(grader, results, tmp_path):
    (tmp_path / "file").write_text("")
    result = grader("export", results, "--format", "gradescope", "--out", tmp_path / "file")
    assert result.exit_code == 2
    assert "cannot be" in result.output


@pytest.mark.parametrize("name", ["csv", "json", "junit", "gradescope", "nbgrader", "moodle-feedback"])
def test_no_export_imports_torch(results, tmp_path, name):
    out = ["--out", str(tmp_path / "o")]
    more = {"gradescope": out, "moodle-feedback": out, "nbgrader": ["--into", str(tmp_path / "g.db")]}.get(name, [])
    code = (
        "import sys; from grader.cli import main; main(sys.argv[1:], standalone_mode=False); "
        "print([m for m in ('torch', 'pytest', 'grader.judge') if m in sys.modules], file=sys.stderr)"
    )
    command = [sys.executable, "-c", code, "export", str(results), "--format", name, *more]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr.splitlines()[-1] == "[]"


GRADEBOOK = "Student,ID,Section,Addition (1),All (2)\n    Points Possible,,,10.00,10.00\nJane,s01,A,,\n"


def test_grades_are_those_after_adjustments_and_the_policy_of_the_course(grader, results, tmp_path):
    late = simple("s01", 100.0, submitted_at="2026-06-03T12:00:00+00:00")
    results.write_text(as_json(results_of(late)))
    manifest = tmp_path / "course.toml"
    manifest.write_text(MANIFEST + "\n[policy]\ndue = 2026-06-01T12:00:00Z\npenalty_per_day = 10\n")
    (tmp_path / "gradebook.csv").write_text(GRADEBOOK)
    command = (
        "export",
        results,
        "--format",
        "canvas",
        "--into",
        tmp_path / "gradebook.csv",
        "--out",
        tmp_path / "o.csv",
    )
    pairs = ("--exercise", "addition", "--column", "Addition", "--exercise", "total", "--column", "All")
    assert grader(*command, *pairs).exit_code == 0
    assert (tmp_path / "o.csv").read_text().endswith("Jane,s01,A,8,8\n")
    assert grader("export", results, "--format", "csv").stdout == "student,addition,total,final\ns01,100.0,100.0,80.0\n"
    document = json.loads(grader("export", results, "--format", "json").stdout)
    assert (document["students"][0]["score"], document["students"][0]["final"]) == (100.0, 80.0)
    assert grader("export", results, "--format", "gradescope", "--out", tmp_path / "gs").exit_code == 0
    gradescope = json.loads((tmp_path / "gs/s01/results.json").read_text())
    assert gradescope["score"] == 80.0
    assert "late by 2 days" in gradescope["output"]
    fifty = grader("export", results, "--format", "classroom50", "--out", tmp_path / "50")
    assert "what the policy changes, are not in this format" in fifty.output
    assert grader("adjust", results, "s01", "addition", "--points", "1", "--because", "a typo").exit_code == 0
    assert grader(*command, *pairs).exit_code == 0
    assert (tmp_path / "o.csv").read_text().endswith("Jane,s01,A,3,3\n")


def test_without_the_course_the_policy_does_not_count_and_another_course_is_refused(grader, results, tmp_path):
    (tmp_path / "course.toml").write_text(MANIFEST.replace("Tiny", "Huge"))
    result = grader("export", results, "--format", "csv")
    assert result.exit_code == 2
    assert "the results are of 'Tiny', and the course here is 'Huge'" in result.output
    (tmp_path / "course.toml").unlink()
    result = grader("export", results, "--format", "csv")
    assert result.exit_code == 0
    assert "its policy do not count" in result.stderr
