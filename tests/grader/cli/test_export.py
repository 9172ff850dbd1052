"""``grader export`` as a teacher calls it."""

import json
import subprocess
import sys

import pytest

from grader.exports import FORMATS
from grader.results.schema import as_json
from tests.grader.exports.conftest import results_of, simple


@pytest.fixture
def results(tmp_path):
    path = tmp_path / "results.json"
    path.write_text(as_json(results_of(simple("s01", 50.0), provisional=True)))
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


@pytest.mark.parametrize("name", ["csv", "json", "junit", "gradescope", "nbgrader"])
def test_no_export_imports_torch(results, tmp_path, name):
    more = {"gradescope": ["--out", str(tmp_path / "o")], "nbgrader": ["--into", str(tmp_path / "g.db")]}.get(name, [])
    code = (
        "import sys; from grader.cli import main; main(sys.argv[1:], standalone_mode=False); "
        "print([m for m in ('torch', 'grader.judge', 'grader.submissions') if m in sys.modules], file=sys.stderr)"
    )
    command = [sys.executable, "-c", code, "export", str(results), "--format", name, *more]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr.splitlines()[-1] == "[]"
