"""Pages of students as zips that Canvas and Moodle take back."""

import io
import sys
import types
import zipfile

import pytest

from tests.grader.exports.conftest import criterion, exercise, simple, student


@pytest.fixture
def pages(monkeypatch):
    """A stand-in for the page of a student."""
    module = types.ModuleType("grader.reports.student_page")
    module.render = lambda results, student: f"<p>{results.course} {student.id}</p>"
    monkeypatch.setitem(sys.modules, module.__name__, module)


def at(origin, id="s01", **more):  # noqa: A002
    return student(id, 100.0, exercise("addition", 100.0, criterion("small"), origin=origin), **more)


@pytest.fixture
def export(grader, written, tmp_path):
    def run(name, *students):
        out = tmp_path / "feedback.zip"
        result = grader("export", written(*students), "--format", name, "--out", out)
        content = out.read_bytes()
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return result, {info.filename: archive.read(info).decode() for info in archive.infolist()}, content

    return run


def test_moodle_finds_the_number_between_underscores(pages, export):
    result, members, _ = export(
        "moodle-feedback",
        simple("501", 50.0, name="Ja_ne/../D\x00oe"),
        at("Bob O'Neil_502_assignsubmission_file/addition.py", "bob", name="Bob O'Neil"),
        simple("team", 1.0, name="Team", group=("503", "504")),
        simple("505", 1.0),
        simple("nobody", 1.0),
    )
    assert members == {
        "Ja ne .. D oe_501_assignsubmission_file/feedback.html": "<p>Tiny 501</p>",
        "Bob O'Neil_502_assignsubmission_file/feedback.html": "<p>Tiny bob</p>",
        "Team_503_assignsubmission_file/feedback.html": "<p>Tiny team</p>",
        "Team_504_assignsubmission_file/feedback.html": "<p>Tiny team</p>",
        "Participant_505_assignsubmission_file/feedback.html": "<p>Tiny 505</p>",
    }
    assert result.exit_code == 1
    assert "nobody: the number that Moodle has for the student is not known" in result.output


def test_canvas_gets_the_names_that_it_gave(pages, export):
    result, members, _ = export(
        "canvas-feedback",
        at("submissions/doejane_LATE_101_9001_my work-1.py", "101"),
        at("leekim_102_9002_work.zip/addition.py", "102"),
        at("anon_x7Yz_9003_addition.py", "x7Yz"),
        at("s04/addition.py", "s04"),
        at("104/doejane_101_9001_addition.py", "104"),
        simple("s05", 0.0),
    )
    assert members == {
        "doejane_LATE_101_9001_my work-1.py": "<p>Tiny 101</p>",
        "leekim_102_9002_work.zip": "<p>Tiny 102</p>",
        "anon_x7Yz_9003_addition.py": "<p>Tiny x7Yz</p>",
    }
    assert result.exit_code == 1
    assert "place: s04, 104, s05: no file of the student has a name that Canvas gave." in result.output


@pytest.mark.parametrize("name", ["canvas-feedback", "moodle-feedback"])
def test_without_a_page_to_send_nothing_is_written(grader, written, name, tmp_path):
    out = tmp_path / "feedback.zip"
    result = grader("export", written(at("s04/addition.py", "s04")), "--format", name, "--out", out)
    assert not out.exists()
    assert result.exit_code == 2
    assert "There is no page to send" in result.output


def test_the_same_results_give_the_same_bytes(pages, export):
    students = (simple("1", 50.0, name="A"), simple("2", 50.0, name="B"))
    assert export("moodle-feedback", *students)[2] == export("moodle-feedback", *students)[2]


def test_the_real_page_of_a_student_fits_in(export):
    _, members, _ = export("moodle-feedback", simple("501", 50.0, name="Jane"))
    assert "<html" in members["Jane_501_assignsubmission_file/feedback.html"]


RIGHT = "def add(a, b):\n    return a + b\n"


@pytest.mark.parametrize(
    ("name", "given", "back"),
    [
        (
            "canvas-feedback",
            ["doejane_LATE_101_9001_addition-1.py", "leekim_102_9002_addition.py"],
            ["doejane_LATE_101_9001_addition-1.py", "leekim_102_9002_addition.py"],
        ),
        (
            "moodle-feedback",
            ["Jané Doe_501_assignsubmission_file/addition.py", "Lee Kim_502_assignsubmission_file/addition.py"],
            ["Jané Doe_501_assignsubmission_file/feedback.html", "Lee Kim_502_assignsubmission_file/feedback.html"],
        ),
    ],
)
def test_a_downloaded_zip_is_graded_and_goes_back(pages, tiny, grader, tmp_path, name, given, back):
    with zipfile.ZipFile(tmp_path / "submissions.zip", "w") as archive:
        for member in given:
            archive.writestr(member, RIGHT)
    options = ("--course", tiny, "--exercise", "addition", "--out", tmp_path / "results")
    result = grader("grade", tmp_path / "submissions.zip", *options)
    assert result.exit_code == 0, result.output
    result = grader(
        "export", tmp_path / "results", "--course", tiny, "--format", name, "--out", tmp_path / "feedback.zip"
    )
    assert result.exit_code == 0, result.output
    with zipfile.ZipFile(tmp_path / "feedback.zip") as archive:
        assert archive.namelist() == back
