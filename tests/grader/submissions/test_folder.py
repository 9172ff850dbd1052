"""A folder per student: nothing is followed out of it, and nobody is lost."""

import os
from pathlib import Path

import pytest

from grader.course import load_course
from grader.submissions import base
from grader.submissions.base import read_source
from grader.submissions.folder import FolderLayout, unique
from tests.grader.conftest import write


@pytest.fixture
def course(tiny):
    return load_course(tiny / "course.toml")


def test_a_link_that_is_slipped_in_later_is_not_followed(course, tmp_path):
    """After the file was found and before it is read, any step of its way may be exchanged."""
    secret = write(tmp_path / "secret/addition/addition.py", "SECRET = 1\n")
    for step in ("s01/exercises/addition/addition.py", "s01/exercises/addition", "s01/exercises", "s01"):
        submissions = tmp_path / step.replace("/", "-")
        write(submissions / "s01/exercises/addition/addition.py", "x = 1\n")
        (found,) = FolderLayout().read(submissions, course)
        path = found.files["addition"]
        assert read_source(path, found.folder) == (b"x = 1\n", "")
        place = submissions / step
        place.rename(tmp_path / f"away-{submissions.name}")
        place.symlink_to(secret if step.endswith(".py") else secret.parents[len(Path(step).parts) * -1 + 3])
        content, why = read_source(path, found.folder)
        assert content == b"" and "addition.py cannot be read" in why, step


def test_where_a_system_cannot_open_step_by_step_the_last_one_is_no_link(tmp_path, monkeypatch):
    monkeypatch.setattr(base.os, "supports_dir_fd", set())
    write(tmp_path / "s01/a.py", "x = 1\n")
    (tmp_path / "s01/b.py").symlink_to("a.py")
    assert read_source(tmp_path / "s01/a.py", tmp_path / "s01") == (b"x = 1\n", "")
    assert read_source(tmp_path / "s01/b.py", tmp_path / "s01")[0] == b""


def test_folders_that_look_alike_stay_two(course, tmp_path):
    names = [b"s\xff", b"s\xfe", rb"s\xff", "s\u00e9".encode(), "se\u0301".encode()]
    for name in names:
        folder = os.path.join(os.fsencode(tmp_path), b"submissions", name)
        os.makedirs(folder)
        with open(os.path.join(folder, b"addition.py"), "wb") as file:
            file.write(b"# " + name.hex().encode())
    found = FolderLayout().read(tmp_path / "submissions", course)
    assert len({submission.student for submission in found}) == len(names)
    assert len({read_source(s.files["addition"], s.folder)[0] for s in found}) == len(names)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["a", "b"], ["a", "b"]),
        (["a", "a", "a"], ["a", "a (2)", "a (3)"]),
        (["a", "a", "a (2)"], ["a", "a (3)", "a (2)"]),
    ],
)
def test_two_students_are_never_made_one(names, expected):
    assert unique(names) == expected
