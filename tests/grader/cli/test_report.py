"""``grader report``, and the pages that ``grader grade`` writes."""

import json

import pytest

from grader.files import safe_name
from grader.results.schema import as_json
from tests.grader.made_results import EVIL, STRANGE, criterion, exercise, results, student


@pytest.fixture
def out(tmp_path):
    names = ["s01", "s02", "S01", EVIL, *STRANGE]
    found = results(*(student(name, exercise("ctc", criterion("a", "failed"), criterion("b"))) for name in names))
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "results.json").write_text(as_json(found))
    return folder


def test_pages_go_beside_the_results(out, grader):
    result = grader("report", out)
    assert result.exit_code == 0, result.output
    assert f"Written: {out / 'class.html'}" in result.output
    pages = {path.name for path in (out / "students").iterdir()}
    known = json.loads((out / "results.json").read_text())["students"]
    assert pages == {f"{safe_name(one['id'])}.html" for one in known}
    assert len({name.lower() for name in pages}) == len(known)
    assert (out / "groups/1.txt").read_text().splitlines()[:3] == ["s01", "s02", "S01"]
    assert {path.name for path in out.iterdir()} == {"results.json", "class.html", "students", "groups"}


def test_another_folder_is_made_and_gets_the_same_pages(out, grader, tmp_path):
    assert grader("report", out).exit_code == 0
    other = tmp_path / "a/b"
    assert grader("report", out / "results.json", "--out", other).exit_code == 0
    assert (other / "students/s01.html").read_bytes() == (out / "students/s01.html").read_bytes()
    assert f"{other}/groups/1.txt" in (other / "class.html").read_text()


def test_lists_of_groups_that_are_gone_are_removed_and_nothing_else(out, grader):
    (out / "groups").mkdir()
    for name in ("7.txt", "mine.txt", "7.csv"):
        (out / "groups" / name).write_text("s99\n")
    assert grader("report", out).exit_code == 0
    assert {path.name for path in (out / "groups").iterdir()} == {"1.txt", "mine.txt", "7.csv"}


def test_what_cannot_be_read_or_written_is_said(out, grader, tmp_path):
    result = grader("report", tmp_path / "nowhere")
    assert (result.exit_code, "not found" in result.output) == (2, True)
    (tmp_path / "file").write_text("")
    result = grader("report", out, "--out", tmp_path / "file")
    assert result.exit_code == 2
    assert "cannot be made" in result.output and "Choose another --out." in result.output


def test_grading_writes_the_pages_too(tiny, grader, tmp_path):
    for who, code in (("s01", "return a + b"), ("s02", "return a - b"), ("s03", "return a - b")):
        path = tmp_path / "submissions" / who / "addition.py"
        path.parent.mkdir(parents=True)
        path.write_text(f"def add(a, b):\n    {code}\n")
    out = tmp_path / "out"
    result = grader("grade", tmp_path / "submissions", "--out", out, "--course", tiny, "--exercise", "addition")
    assert result.exit_code == 0, result.output
    assert "class.html" in result.output
    assert (out / "groups/1.txt").read_text() == "s02\ns03\n"
    page = (out / "students/s02.html").read_text()
    assert "One and one is two." in page and "Use +." in page
    assert "Sums of numbers that nobody knows beforehand." in page
    seconds = [e["seconds"] for s in json.loads((out / "results.json").read_text())["students"] for e in s["exercises"]]
    assert all(second > 0 for second in seconds)
