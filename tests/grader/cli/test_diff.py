"""``grader diff`` as a teacher uses it: grade, mend a suite, grade again, and see who moved."""

import json
import subprocess
import sys

import pytest

from tests.grader.reports.html import Page

RIGHT = "def add(a, b):\n    return a + b\n"
TWICE = "def double(a):\n    return a + a\n"


def hand_in(folder, student, **files):
    for name, code in files.items():
        path = folder / student / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(code)


@pytest.fixture
def submissions(tmp_path):
    folder = tmp_path / "submissions"
    hand_in(folder, "s01", addition=RIGHT, doubling=TWICE)
    hand_in(folder, "s02", addition="def add(a, b):\n    return a + b if b else 6\n", doubling=TWICE)  # no zero
    hand_in(folder, "s03", addition="def add(a, b):\n    return 2\n")
    hand_in(folder, "s04", addition="def add(a, b):\n    return -1\n", doubling=TWICE)
    return folder


def moved(document):
    return {s["id"]: (s["old_score"], s["new_score"]) for s in document["students"] if s["direction"] != "same"}


def test_after_a_criterion_changed_exactly_those_who_moved_are_named(tiny, submissions, grader, tmp_path):
    old, new = tmp_path / "old", tmp_path / "new"
    grade = ("grade", submissions, "--course", tiny, "--jobs", 1, "--out")
    assert grader(*grade, old).exit_code == 0
    suite = tiny / "exercises/addition/test_addition.py"
    suite.write_text(suite.read_text().replace("student.add(5, 0), 5, ", "student.add(5, 0), 6, "))
    solution = tiny / "solutions/addition.py"  # it must pass its own suite
    solution.write_text(solution.read_text().replace("return a + b", "return a + b if b else 6"))
    assert grader(*grade, new).exit_code == 0

    document = json.loads(grader("diff", old, new, "--json").output)
    assert document["format"] == 1
    # s01 passed "zero" and no longer does, s02 is right now; the others fail it before and after
    assert moved(document) == {"s01": (100.0, 93.75), "s02": (93.75, 100.0)}
    assert {s["id"]: s["reasons"] for s in document["students"]} == {"s01": ["judging"], "s02": ["judging"]}
    (exercise,) = document["students"][0]["exercises"]
    assert exercise["name"] == "addition"
    assert [c["id"] for c in exercise["criteria"]] == ["zero"]

    page = tmp_path / "diff.html"
    result = grader("diff", old / "results.json", new, "--page", page)
    assert result.exit_code == 0
    assert result.output.startswith("4 students: 1 up, 1 down, 2 the same.")
    assert "s03" not in result.output and "s04" not in result.output
    assert all(len(line) <= 80 for line in result.output.splitlines() if "Written" not in line)
    assert "s02" in Page(page.read_text()).text


def test_another_file_is_told_apart_from_other_points(tiny, submissions, grader, tmp_path):
    old, new = tmp_path / "old", tmp_path / "new"
    grade = ("grade", submissions, "--course", tiny, "--jobs", 1, "--out")
    assert grader(*grade, old).exit_code == 0
    hand_in(submissions, "s04", addition=RIGHT)
    hand_in(submissions, "s05", addition=RIGHT)
    suite = tiny / "exercises/addition/test_addition.py"
    suite.write_text(suite.read_text().replace('"Zero", points=1', '"Zero", points=5'))
    assert grader(*grade, new).exit_code == 0
    document = json.loads(grader("diff", old, new, "--json").output)
    reasons = {s["id"]: s["reasons"] for s in document["students"] if s["id"] in moved(document)}
    assert reasons == {"s02": ["criteria"], "s03": ["criteria"], "s04": ["file", "criteria"]}
    assert [s["id"] for s in document["added"]] == ["s05"]


def test_the_same_results_move_nobody_and_what_is_not_there_is_said(tmp_path, grader):
    (tmp_path / "results.json").write_text('{"format": 1, "course": "Old", "students": []}')
    assert grader("diff", tmp_path, tmp_path).output == "0 students: 0 up, 0 down, 0 the same.\n"
    result = grader("diff", tmp_path, tmp_path / "nothing")
    assert result.exit_code == 2
    assert "not found" in result.output


def test_it_needs_no_torch(tmp_path):
    (tmp_path / "results.json").write_text('{"format": 1, "course": "Old", "students": []}')
    code = (
        "import sys; from grader.cli import main\n"
        f"main(['diff', {str(tmp_path)!r}, {str(tmp_path)!r}, '--page', {str(tmp_path / 'a.html')!r}],"
        " standalone_mode=False)\nprint('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("False\n")
