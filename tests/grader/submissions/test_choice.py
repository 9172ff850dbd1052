"""Which of a student's files count."""

import json
import os

import pytest

from grader.course import load_course
from grader.submissions.choice import Rules
from grader.submissions.intake import read_class
from tests.grader.conftest import write

RIGHT = "def add(a, b):\n    return a + b\n"
WRONG = "def add(a, b):\n    return a - b\n"
STUB = 'def add(a, b):\n    """The sum of two numbers."""\n    raise NotImplementedError("add is yours to write")\n'
DOUBLE = "def double(a):\n    return 2 * a\n"


@pytest.fixture
def course(tiny):
    return load_course(tiny / "course.toml")


@pytest.fixture
def read(course, tmp_path):
    """What counts of one student's files, given as path -> text; later ones are newer by a minute."""

    def run(files, **rules):
        for number, (path, text) in enumerate(files.items()):
            file = tmp_path / "pile/s01" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text if isinstance(text, bytes) else text.encode())
            os.utime(file, (1e9 + 60 * number, 1e9 + 60 * number))
        found = read_class(tmp_path / "pile", course, rules=Rules(**rules))
        (submission,) = found.submissions
        return submission, {one.file.removeprefix("s01/"): one.reason for one in found.unused}

    return run


def notebook(*cells):
    return json.dumps({"cells": [{"cell_type": "code", "source": cell, "metadata": {}} for cell in cells]})


@pytest.mark.parametrize(
    "path",
    [
        "addition.py", "addition/addition.py", "exercises/addition/addition.py", "homework1/addition.py",
        "course-main/exercises/addition/addition.py", "src/addition.py", "addition (1).py", "addition.PY",
        "ADDITION.py", "addition-2.py", "a/b/c/d/addition.py",
    ],
)  # fmt: skip
def test_a_file_counts_wherever_it_lies_and_whatever_an_lms_made_of_its_name(read, path):
    submission, unused = read({path: RIGHT})
    assert submission.sources["addition"].content == RIGHT.encode()
    assert submission.origin.files == {"addition": f"s01/{path}"}
    assert not unused and not submission.origin.question


def test_what_is_still_the_stub_loses_wherever_it_lies(read):
    submission, unused = read({"deep/down/addition.py": RIGHT, "addition.py": STUB.replace("\n", "\r\n")})
    assert submission.sources["addition"].content == RIGHT.encode()
    assert unused == {"addition.py": "is still the stub"}


def test_an_empty_file_loses_too(read):
    submission, unused = read({"old/addition.py": RIGHT, "addition.py": "  \n# nothing\n"})
    assert submission.sources["addition"].content == RIGHT.encode()
    assert unused == {"addition.py": "is empty"}


def test_of_two_different_ones_the_newer_counts_and_both_are_named(read):
    submission, unused = read({"exercises/addition/addition.py": WRONG, "new/addition.py": RIGHT})
    assert submission.sources["addition"].content == RIGHT.encode()
    assert submission.origin.notes == (
        "addition: s01/new/addition.py counts, and not s01/exercises/addition/addition.py",
    )
    assert "is another addition" in unused["exercises/addition/addition.py"]


def test_of_copies_that_an_lms_counted_the_highest_is_the_newest(read):
    submission, _ = read({"addition-10.py": RIGHT, "addition-9.py": WRONG, "addition.py": WRONG})
    assert submission.sources["addition"].content == RIGHT.encode()


def test_a_module_that_was_written_from_a_notebook_never_beats_that_notebook(read, tiny, grader):
    written = "# Written from a notebook: change that, not this.\n\n" + WRONG
    submission, unused = read({"addition.ipynb": notebook(RIGHT), "addition.py": written})
    assert submission.origin.files == {"addition": "s01/addition.ipynb"}
    assert unused == {"addition.py": "was written from a notebook, and s01/addition.ipynb counts"}


def test_but_it_counts_if_the_notebook_is_still_the_stub(read):
    written = "# Written from a notebook: change that, not this.\n\n" + RIGHT
    submission, unused = read({"addition.ipynb": notebook(STUB), "addition.py": written})
    assert submission.origin.files == {"addition": "s01/addition.py"}
    assert unused == {"addition.ipynb": "is still the stub"}


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        ("\ufeff" + RIGHT, ""),
        (RIGHT.encode("utf-16"), "UTF-16"),
        (RIGHT.encode("utf-16-le"), "UTF-16"),
        (("# Übung\n" + RIGHT).encode("latin-1"), "Latin-1"),
        (RIGHT.replace("\n", "\r\n"), ""),
        (RIGHT.replace("\n", "\r"), ""),
    ],
)
def test_any_encoding_is_read(read, content, encoding):
    submission, _ = read({"addition.py": content})
    assert submission.sources["addition"].content.decode().endswith(RIGHT)
    assert submission.origin.notes == (
        (f"addition: s01/addition.py was saved as {encoding}, and read so",) if encoding else ()
    )


def test_a_file_that_names_its_encoding_is_left_to_python(read):
    content = b"# -*- coding: latin-1 -*-\r\n# \xdcbung\r\n" + RIGHT.encode()
    submission, _ = read({"addition.py": content})
    assert submission.sources["addition"].content == content


@pytest.mark.parametrize(
    ("path", "text"),
    [("additoin.py", RIGHT), ("addition_final.py", RIGHT), ("addition.py.txt", RIGHT), ("solution.py", RIGHT)],
)
def test_a_near_name_is_a_question_and_accepted_if_the_teacher_says_so(read, path, text):
    submission, unused = read({path: text, "doubling.py": DOUBLE})
    assert submission.origin.questions == {"addition": f"is it in s01/{path}?"}
    assert unused[path] == "looks like addition, but is not called so"
    submission, unused = read({}, accept_near_names=True)
    assert submission.sources["addition"].content == text.encode()
    assert submission.origin.files["addition"] == f"s01/{path}"
    assert not submission.origin.questions and not unused
    submission, _ = read({}, mapping={("s01", f"s01/{path}"): "addition"})
    assert submission.sources["addition"].content == text.encode()


def test_a_near_name_beside_the_stub_is_a_question_too(read):
    submission, _ = read({"addition.py": STUB, "addition_final.py": RIGHT})
    assert submission.origin.questions == {"addition": "is it in s01/addition_final.py?"}


def test_a_near_name_beside_the_real_thing_is_not(read):
    submission, unused = read({"addition.py": RIGHT, "addition_final.py": WRONG})
    assert submission.sources["addition"].content == RIGHT.encode() and not submission.origin.questions
    assert unused == {"addition_final.py": "looks like addition, but s01/addition.py counts"}


def test_one_notebook_may_hold_several_exercises(read):
    submission, _ = read({"everything.ipynb": notebook("import math", RIGHT, DOUBLE)})
    assert submission.origin.files == {"addition": "s01/everything.ipynb", "doubling": "s01/everything.ipynb"}
    assert "s01/everything.ipynb holds several exercises: addition, doubling" in submission.origin.notes


def test_modules_of_the_students_own_come_along_if_they_are_mentioned(read):
    files = {
        "addition.py": "import utils\n" + RIGHT, "utils.py": "from deep import f\n", "deep.py": "f = 1\n",
        "other.py": "x = 1\n", "random.py": "x = 1\n", "test_addition.py": "x = 1\n", "doubling.py": DOUBLE,
    }  # fmt: skip
    submission, unused = read(files)
    assert submission.sources["addition"].helpers == {
        "utils": ("utils.py", b"from deep import f\n"),
        "deep": ("deep.py", b"f = 1\n"),
    }
    assert unused.keys() == {"other.py", "random.py", "test_addition.py"}
    assert "no module that counts mentions it" in unused["other.py"]
    assert unused["test_addition.py"] == "is a test"


def test_helpers_are_used_when_it_is_graded(tiny, grader, tmp_path):
    write(tmp_path / "pile/s01/addition.py", "import utils\n\n\ndef add(a, b):\n    return utils.plus(a, b)\n")
    write(tmp_path / "pile/s01/utils.py", "def plus(a, b):\n    return a + b\n")
    for how in ((), ("--unconfined",)):
        out = tmp_path / f"out{len(how)}"
        result = grader("grade", tmp_path / "pile", "--out", out, "--exercise", "addition", "--course", tiny, *how)
        assert " 100.0" in result.output, result.output


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({}, "nothing is in it"),
        ({"report.pdf": "x", "data.csv": "x"}, "nothing is called like an exercise"),
        ({"hw.rar": "x"}, "is an archive that we cannot open"),
        ({"hw.zip": "x"}, "is not a zip, or was cut off"),
    ],
)
def test_where_nothing_is_recognised_there_is_a_question_and_no_score(tiny, grader, tmp_path, files, words):
    write(tmp_path / "pile/good/addition.py", RIGHT)
    (tmp_path / "pile/odd").mkdir(parents=True)
    for name, text in files.items():
        write(tmp_path / "pile/odd" / name, text)
    how = ("--exercise", "addition", "--course", tiny)
    result = grader("grade", tmp_path / "pile", "--out", tmp_path / "out", *how)
    assert result.exit_code == 4
    assert words in result.output.replace("\n", " ")
    assert result.output.index("odd") < result.output.index("good")  # at the top
    found = json.loads((tmp_path / "out/results.json").read_text())["students"]
    assert [(s["id"], s["score"], s["needs_review"]) for s in found] == [("good", 100.0, False), ("odd", None, True)]
    assert (tmp_path / "out/grades.csv").read_text().splitlines()[-1] == "odd,,"
    result = grader("grade", tmp_path / "pile", "--out", tmp_path / "out", "--zero-unrecognised", *how)
    assert result.exit_code == 0
    assert (tmp_path / "out/grades.csv").read_text().splitlines()[-1] == "odd,0.0,0.0"


def test_what_cannot_be_read_may_be_what_is_missing(read):
    submission, _ = read({"addition.py": RIGHT, "rest.zip": b"PK\x03\x04 cut off"})
    assert submission.origin.questions == {
        "doubling": "nothing of it was found, but s01/rest.zip is not a zip, or was cut off"
    }


def test_what_cannot_be_read_may_hold_the_work_where_only_the_stub_lies(read):
    submission, _ = read({"addition.py": STUB, "rest.zip": b"PK\x03\x04 cut off", "doubling.py": DOUBLE})
    assert submission.origin.questions == {
        "addition": "only the stub was found, but s01/rest.zip is not a zip, or was cut off"
    }


def test_a_mapping_that_names_no_file_is_refused(tiny, grader, tmp_path):
    write(tmp_path / "pile/s01/additoin.py", RIGHT)
    mapping = write(tmp_path / "mapping.csv", "student,file,exercise\ns01,s01/additon.py,addition\n")
    result = grader("inspect", tmp_path / "pile", "--mapping", mapping, "--course", tiny)
    assert result.exit_code == 2 and "did you mean 's01/additoin.py'?" in result.output
    write(mapping, "student,file,exercise\ns01,s01/additoin.py,additoin\n")
    assert (
        "did you mean 'addition'?"
        in grader("inspect", tmp_path / "pile", "--mapping", mapping, "--course", tiny).output
    )
    write(mapping, "student,file,exercise\ns01,s01/additoin.py,addition\n")
    assert grader("inspect", tmp_path / "pile", "--mapping", mapping, "--course", tiny).exit_code == 0
