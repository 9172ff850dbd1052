"""``grader similar`` as a teacher uses it."""

import json
import subprocess
import sys

import pytest

from tests.grader.overlap.test_pairs import written
from tests.grader.reports.html import Page


def module(body):
    return f'def add(a, b):\n    """The sum of two numbers."""\n{body}    return a + b\n'


@pytest.fixture
def submissions(tmp_path):
    folder = tmp_path / "submissions"
    for student, body in {"s01": written(1), "s02": "    # my own\n" + written(1), "s03": written(3)}.items():
        (folder / student).mkdir(parents=True)
        (folder / student / "addition.py").write_text(module(body))
    stub = 'def double(a):\n    """Twice a number."""\n    raise NotImplementedError("double is yours to write")\n'
    for student in ("s02", "s03"):
        (folder / student / "doubling.py").write_text(stub)
    return folder


@pytest.fixture
def results(tmp_path):
    folder = tmp_path / "results"
    folder.mkdir()
    students = [{"id": f"s0{n}", "name": f"Name {n}", "exercises": []} for n in (1, 2, 3)]
    (folder / "results.json").write_text(json.dumps({"format": 1, "course": "Tiny", "students": students}))
    return folder


def test_those_with_much_in_common_are_named_and_shown_side_by_side(tiny, submissions, results, grader):
    result = grader("similar", results, submissions, "--course", tiny)
    assert result.exit_code == 0, result.output
    assert result.output.startswith("3 texts compared: 1 pair has 60 % or more in common.")
    assert "s01" in result.output and "s02" in result.output and "s03" not in result.output
    assert all(len(line) <= 80 for line in result.output.splitlines() if "Written" not in line)
    page = Page((results / "similar.html").read_text())
    assert "Name 1" in page.text and "Name 2" in page.text and "Name 3" not in page.text


def test_as_json_with_a_threshold_and_one_exercise(tiny, submissions, results, grader):
    found = json.loads(grader("similar", results / "results.json", submissions, "--course", tiny, "--json").output)
    assert (found["format"], found["threshold"], found["names"]) == (1, 0.6, {"s01": "Name 1", "s02": "Name 2"})
    addition, doubling = found["exercises"]
    (pair,) = addition["pairs"]
    assert (pair["first"]["id"], pair["second"]["id"], pair["share"]) == ("s01", "s02", 1.0)
    assert (doubling["pairs"], doubling["too_short"]) == ([], ["s02", "s03"])
    one = ("similar", results, submissions, "--course", tiny, "--json", "--exercise", "doubling", "--threshold", 0.9)
    assert [e["name"] for e in json.loads(grader(*one).output)["exercises"]] == ["doubling"]


def test_submissions_of_other_students_are_a_mistake_that_is_said(tiny, submissions, results, grader, tmp_path):
    (submissions / "s01").rename(tmp_path / "s77")
    other = tmp_path / "other"
    other.mkdir()
    (tmp_path / "s77").rename(other / "s77")
    result = grader("similar", results, other, "--course", tiny)
    assert result.exit_code == 2
    assert "Give the submissions that were graded there" in result.output
    assert not (results / "similar.html").exists()


def test_it_needs_no_torch_and_runs_no_code_of_students(tiny, submissions, results, tmp_path):
    mark = tmp_path / "was_run"
    (submissions / "s01/addition.py").write_text(f"open({str(mark)!r}, 'w')\n" + module(written(1)))
    code = (
        "import sys; from grader.cli import main\n"
        f"main(['similar', {str(results)!r}, {str(submissions)!r}, '--course', {str(tiny)!r}], standalone_mode=False)\n"
        "print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("False\n")
    assert not mark.exists()


def test_the_class_page_leads_there_and_no_students_page_does(tiny, submissions, results, grader):
    grader("report", results, "--course", tiny)
    assert "similar.html" not in (results / "class.html").read_text()
    grader("similar", results, submissions, "--course", tiny)
    assert 'href="similar.html"' in (results / "class.html").read_text()
    assert not any("similar" in page.read_text() for page in (results / "students").iterdir())
