"""``grader grade`` as a teacher uses it, on a small class."""

import csv
import json
import shutil

import pytest

from grader.course import find_course

RIGHT = "def add(a, b):\n    return a + b\n"
RIGHT_TOO = "def double(a):\n    return a + a\n"


@pytest.fixture
def submissions(tmp_path):
    submissions = tmp_path / "submissions"
    for student, files in {
        "s01": {"addition.py": RIGHT, "doubling.py": RIGHT_TOO},
        "s02": {"addition/addition.py": RIGHT, "exercises/doubling/doubling.py": "def double(a):\n    return a\n"},
        "s03": {"addition.py": "def add(a, b):\n    return 2\n"},
        "s04": {"addition.py": "import os\ndef add(a, b):\n    os._exit(0)\n", "doubling.py": RIGHT_TOO},
    }.items():
        for name, code in files.items():
            path = submissions / student / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(code)
    return submissions


def test_a_class_is_graded_printed_and_written(tiny, submissions, grader, tmp_path):
    out = tmp_path / "out"
    result = grader("grade", submissions, "--out", out, "--course", tiny)
    assert result.exit_code == 0, result.output
    rows = list(csv.DictReader((out / "grades.csv").open()))
    assert rows == [
        {"student": "s01", "addition": "100.0", "doubling": "100.0", "total": "100.0"},
        {"student": "s02", "addition": "100.0", "doubling": "0.0", "total": "25.0"},
        {"student": "s03", "addition": "50.0", "doubling": "0.0", "total": "12.5"},
        {"student": "s04", "addition": "0.0", "doubling": "100.0", "total": "75.0"},
    ]
    document = json.loads((out / "results.json").read_text())
    assert (document["format"], document["course"]) == (1, "Tiny")
    s03 = document["students"][2]
    assert (s03["id"], s03["score"]) == ("s03", 12.5)
    assert [(e["name"], e["score"], e["verdict"]) for e in s03["exercises"]] == [
        ("addition", 50.0, "failed"),
        ("doubling", 0.0, "missing"),
    ]
    assert {c["id"]: c["verdict"] for c in s03["exercises"][0]["criteria"]} == {
        "small": "passed",
        "zero": "failed",
        "any": "failed",
    }
    assert {c["verdict"] for c in document["students"][3]["exercises"][0]["criteria"]} == {"crashed"}
    assert all(len(line) <= 80 for line in result.output.splitlines() if "Written" not in line)
    assert "s03" in result.output
    assert "s03: missing: doubling" in result.output
    assert "s04: addition: 3 × crashed" in result.output


def test_only_the_named_exercise(tiny, submissions, grader, tmp_path):
    out = tmp_path / "out"
    assert (
        grader("grade", submissions, "--out", out, "--exercise", "addition", "--course", tiny, "--json").exit_code == 0
    )
    assert (out / "grades.csv").read_text().splitlines()[:2] == ["student,addition,total", "s01,100.0,100.0"]


def test_a_fault_of_ours_is_no_zero_and_the_exit_code_says_so(tiny, submissions, grader, tmp_path):
    suite = tiny / "tests/hidden/test_addition.py"
    suite.write_text(suite.read_text().replace("rng.randrange(1000), rng", "unknown_name, rng"))
    result = grader("grade", submissions, "--out", tmp_path / "out", "--course", tiny)
    assert result.exit_code == 3
    assert "s01/addition" in result.output
    document = json.loads((tmp_path / "out/results.json").read_text())
    assert document["students"][0]["exercises"][0]["score"] == 100.0
    assert document["students"][0]["exercises"][0]["verdict"] == "grader_fault"


def test_a_suite_that_cannot_be_collected_leaves_no_score(tiny, submissions, grader, tmp_path):
    (tiny / "tests/hidden/test_addition.py").write_text("import nothing_like_it\n")
    result = grader("grade", submissions, "--out", tmp_path / "out", "--course", tiny)
    assert result.exit_code == 3
    first = next(csv.DictReader((tmp_path / "out/grades.csv").open()))
    assert first == {"student": "s01", "addition": "", "doubling": "100.0", "total": "100.0"}
    assert "nothing_like_it" in (tmp_path / "out/results.json").read_text()


def test_a_pile_that_is_none_is_a_usage_error(tiny, grader, tmp_path):
    for submissions, words in ((tmp_path / "nowhere", "not found"), (tmp_path / "empty", "no student's work in it")):
        if "empty" in submissions.name:
            submissions.mkdir()
        result = grader("grade", submissions, "--out", tmp_path / "out", "--course", tiny)
        assert result.exit_code == 2
        assert words in result.output


def test_a_folder_that_cannot_be_written_is_a_clear_error(tiny, submissions, grader, tmp_path):
    (tmp_path / "out").write_text("a file is in the way")
    result = grader("grade", submissions, "--out", tmp_path / "out", "--exercise", "doubling", "--course", tiny)
    assert result.exit_code == 2
    assert "cannot be written" in result.output


def test_the_first_run_makes_a_secret_that_nobody_can_guess(tiny, submissions, grader, tmp_path):
    secret = tiny / "solutions/grading.toml"
    secret.unlink()
    options = ("--out", tmp_path / "out", "--exercise", "doubling", "--course", tiny)
    assert grader("grade", submissions, *options, "--seed", "mine").exit_code == 0
    assert not secret.exists()
    assert grader("grade", submissions, *options).exit_code == 0
    first = secret.read_text()
    assert len(find_course(tiny).secret) >= 32
    assert grader("grade", submissions, *options).exit_code == 0
    assert secret.read_text() == first
    secret.unlink()
    assert grader("validate", "doubling", "--course", tiny, "--seeds", 0).exit_code in (0, 1)
    assert secret.read_text() != first


@pytest.mark.parametrize("obstacle", ["a file for a folder", "a link to nowhere"])
def test_a_secret_that_cannot_be_written_is_a_clear_error(tiny, submissions, grader, tmp_path, obstacle):
    solutions = tiny / "solutions"
    if obstacle == "a file for a folder":
        shutil.rmtree(solutions)
        solutions.write_text("")
    else:
        (solutions / "grading.toml").unlink()
        (solutions / "grading.toml").symlink_to("nowhere/at/all")
    result = grader("grade", submissions, "--out", tmp_path / "out", "--course", tiny)
    assert result.exit_code == 2
    assert "cannot be written here" in result.output


def test_links_are_not_followed(tiny, submissions, grader, tmp_path):
    (submissions / "s03/doubling.py").symlink_to(submissions / "s01/doubling.py")
    (submissions / "s05").symlink_to(submissions / "s01")
    result = grader(
        "grade", submissions, "--out", tmp_path / "out", "--exercise", "doubling", "--course", tiny, "--json"
    )
    students = {s["id"]: s["score"] for s in json.loads(result.stdout)["students"]}
    assert students == {"s01": 100.0, "s02": 0.0, "s03": None, "s04": 100.0, "s05": None}
    assert result.exit_code == 4  # a teacher decides about links
    assert result.stdout.count("is a link, and links are not followed") >= 2


def test_an_optional_exercise_that_was_not_handed_in_leaves_no_trace(tiny, submissions, grader, tmp_path):
    manifest = tiny / "course.toml"
    manifest.write_text(manifest.read_text().replace("weight = 3", "weight = 3\noptional = true"))
    result = grader("grade", submissions, "--out", tmp_path / "out", "--course", tiny)
    third = list(csv.DictReader((tmp_path / "out/grades.csv").open()))[2]
    assert third == {"student": "s03", "addition": "50.0", "doubling": "", "total": "50.0"}
    assert ["s03", "50.0", "–", "50.0"] in [line.split() for line in result.output.splitlines()]
    assert "missing" not in result.output


def test_an_optional_stub_does_not_fail_the_check(tiny, grader):
    manifest = tiny / "course.toml"
    manifest.write_text(manifest.read_text().replace("weight = 3", "weight = 3\noptional = true"))
    (tiny / "exercises/doubling/doubling.py").write_text("def double(a):\n    raise NotImplementedError\n")
    result = grader("check", "--course", tiny)
    assert "Twice (optional)" in result.output
    assert result.exit_code == 0


def test_names_neither_fake_rows_nor_become_formulas(tiny, grader, tmp_path):
    for name in ("=1+1", "a\nb", "\x1b[2Jc", "evil\u202e001"):
        (tmp_path / "submissions" / name).mkdir(parents=True)
        (tmp_path / "submissions" / name / "addition.py").write_text("def add(a, b):\n    return a + b\n")
    result = grader(
        "grade", tmp_path / "submissions", "--out", tmp_path / "out", "--course", tiny, "--exercise", "addition"
    )
    assert result.exit_code == 0
    assert "\x1b" not in result.output
    assert "a\\nb" in result.output
    rows = list(csv.reader((tmp_path / "out/grades.csv").open(newline="")))
    assert [row[0] for row in rows] == ["student", "\\x1b[2Jc", "'=1+1", "a\\nb", "evil\\u202e001"]
