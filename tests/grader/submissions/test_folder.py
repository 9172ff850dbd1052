"""A folder per student: nothing is followed out of it, and nobody is lost."""

import os
import zipfile

import pytest

from grader.course import load_course
from grader.submissions import tree
from grader.submissions.base import read_source, read_text
from grader.submissions.intake import Attempts, read_class
from grader.submissions.pile import read_tree
from tests.grader.conftest import write

RIGHT = "def add(a, b):\n    return a + b\n"


@pytest.fixture
def course(tiny):
    return load_course(tiny / "course.toml")


def read(path, course, **how):
    return {s.student: s for s in read_class(path, course, **how).submissions}


def test_a_link_that_is_slipped_in_later_is_not_followed(course, tmp_path):
    """After the file was found and before it is read, any step of its way may be exchanged."""
    secret = write(tmp_path / "secret/addition/addition.py", "SECRET = 1\n")
    for step in ("s01/exercises/addition/addition.py", "s01/exercises/addition", "s01/exercises", "s01"):
        submissions = tmp_path / step.replace("/", "-")
        write(submissions / "s01/exercises/addition/addition.py", "x = 1\n")
        (member,) = read_tree(submissions).members
        assert read_text(member) == (b"x = 1\n", "", "")
        place = submissions / step
        place.rename(tmp_path / f"away-{submissions.name}")
        place.symlink_to(secret if step.endswith(".py") else secret.parents[len(step.split("/")) * -1 + 3])
        content, why, _ = read_text(member)
        assert content == b"" and "addition.py cannot be read" in why, step


def test_where_a_system_cannot_open_step_by_step_the_last_one_is_no_link(tmp_path, monkeypatch):
    monkeypatch.setattr(tree.os, "supports_dir_fd", set())
    write(tmp_path / "s01/a.py", "x = 1\n")
    (tmp_path / "s01/b.py").symlink_to("a.py")
    assert read_source(tmp_path / "s01/a.py") == (b"x = 1\n", "")
    assert read_source(tmp_path / "s01/b.py")[0] == b""


def test_folders_that_look_alike_stay_two(course, tmp_path):
    names = [b"s\xff", b"s\xfe", rb"s\xff", "s\u00e9".encode(), "se\u0301".encode()]
    for name in names:
        folder = os.path.join(os.fsencode(tmp_path), b"submissions", name)
        os.makedirs(folder)
        with open(os.path.join(folder, b"addition.py"), "wb") as file:
            file.write(b"x = '" + name.hex().encode() + b"'")
    found = read_class(tmp_path / "submissions", course).submissions
    assert len({submission.student for submission in found}) == len(names)
    assert len({s.sources["addition"].content for s in found}) == len(names)


def test_a_folder_of_results_is_no_student(course, tmp_path):
    write(tmp_path / "pile" / "s01/addition.py", RIGHT)
    write(tmp_path / "pile" / "out/journal.sqlite", "")
    write(tmp_path / "pile" / "out/addition.py", RIGHT)
    found = read_class(tmp_path / "pile", course)
    assert [s.student for s in found.submissions] == ["s01"]
    assert [(one.file, one.reason) for one in found.unused] == [("out", "is a folder of results, and no student")]


def test_the_last_attempt_counts_or_the_best_if_the_teacher_says_so(course, tmp_path):
    write(tmp_path / "pile" / "s01/attempt 1/addition.py", RIGHT)
    write(tmp_path / "pile" / "s01/attempt 10/addition.py", "x = 10\n")
    write(tmp_path / "pile" / "s01/attempt 2/addition.py", "x = 2\n")
    (one,) = read_class(tmp_path / "pile", course).submissions
    assert one.sources["addition"].content == b"x = 10\n"
    assert "the last of 3 attempts counts" in one.origin.notes
    found = read_class(tmp_path / "pile", course, attempts=Attempts.BEST).submissions
    assert [(s.student, s.origin.attempt) for s in found] == [("s01", 1), ("s01", 2), ("s01", 10)]


def test_the_best_attempt_is_graded(tiny, grader, tmp_path):
    write(tmp_path / "pile/s01/attempt 1/addition.py", RIGHT)
    write(tmp_path / "pile/s01/attempt 2/addition.py", "def add(a, b):\n    return 2\n")
    how = ("--exercise", "addition", "--course", tiny)
    result = grader("grade", tmp_path / "pile", "--out", tmp_path / "last", *how)
    assert " 50.0" in result.output
    result = grader("grade", tmp_path / "pile", "--out", tmp_path / "best", "--attempts", "best", *how)
    assert " 100.0" in result.output and result.output.count("s01") == 1


@pytest.mark.parametrize(
    ("paths", "words"),
    [
        (["class/s01/addition.py", "class/s02/addition.py", "class/s03/addition.py"], "one level too high"),
        (["notes.txt", "more/notes.txt"], "no student's work in it"),
    ],
)
def test_what_is_no_class_is_refused_with_a_suggestion(tiny, grader, tmp_path, paths, words):
    for number, path in enumerate(paths):
        write(tmp_path / "pile" / path, f"x = {number}\n")
    result = grader("grade", tmp_path / "pile", "--out", tmp_path / "out", "--course", tiny)
    assert result.exit_code == 2
    assert words in result.output
    assert not (tmp_path / "out").exists()


def test_results_do_not_go_where_the_submissions_lie(tiny, grader, tmp_path):
    write(tmp_path / "pile/s01/addition.py", RIGHT)
    result = grader("grade", tmp_path / "pile", "--out", tmp_path / "pile", "--course", tiny)
    assert result.exit_code == 2 and "Choose another --out" in result.output


def test_a_linked_folder_of_a_student_is_a_question_about_that_student(course, tmp_path):
    write(tmp_path / "elsewhere/addition.py", RIGHT)
    write(tmp_path / "pile/s1/addition.py", RIGHT)
    (tmp_path / "pile/s2").symlink_to(tmp_path / "elsewhere")
    found = read(tmp_path / "pile", course)
    assert set(found) == {"s1", "s2"} and not found["s2"].sources
    assert "s2 is a link, and links are not followed" in found["s2"].origin.questions["addition"]


def test_two_students_are_never_made_one(course, tmp_path):
    """A folder and an archive may have one name."""
    write(tmp_path / "pile" / "anna/addition.py", RIGHT)
    with zipfile.ZipFile(tmp_path / "pile" / "anna.zip", "w") as archive:
        archive.writestr("addition.py", "x = 1\n")
    found = read(tmp_path / "pile", course)
    assert set(found) == {"anna", "anna (2)"}
    assert any("somebody else is called anna too" in note for note in found["anna (2)"].origin.notes)
