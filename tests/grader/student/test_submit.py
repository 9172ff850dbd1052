"""``grader submit`` as a student uses it, and its zip as teachers get it."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from grader.authoring.release import make_release, write_release
from grader.cli import FOR_STUDENTS
from grader.course import find_course, load_course
from grader.submissions.intake import read_class
from tests.grader.conftest import write

RIGHT = "def add(a, b):\n    return a + b\n"


@pytest.fixture
def home(tiny, tmp_path):
    """The small course as a student has it, nothing written yet."""
    for name in ("addition", "doubling"):
        write(tiny / f"exercises/{name}/handout.md", f"# {name}\n\nText.\n\n## What to write\n\nIt.\n")
    write_release(tmp_path / "home", make_release(find_course(tiny), FOR_STUDENTS))
    return tmp_path / "home"


def solve(home, code=RIGHT, name="addition.py"):
    write(home / "exercises/addition" / name, code)


def submit(grader, home, *options):
    out = home / "s01.zip"
    return grader("submit", "--student", "s01", "--out", out, "--course", home, *options), out


def test_what_was_begun_is_packed_with_hashes(home, grader):
    solve(home)
    result, out = submit(grader, home)
    assert result.exit_code == 0, result.output
    assert "nothing is written there yet: doubling" in " ".join(result.output.split())
    with zipfile.ZipFile(out) as packed:
        assert sorted(packed.namelist()) == ["exercises/addition/addition.py", "hand_in.json"]
        about = json.loads(packed.read("hand_in.json"))
    assert about["student"] == "s01" and list(about["files"]) == ["exercises/addition/addition.py"]


@pytest.mark.parametrize("options", [(), ("--no-check",)])
def test_nothing_begun_is_nothing_to_hand_in(home, grader, options):
    result, out = submit(grader, home, *options)
    assert result.exit_code == 1 and "Nothing was packed" in result.output
    assert not out.exists()


def test_wrong_work_can_be_handed_in_with_a_warning(home, grader):
    solve(home, "def add(a, b):\n    return 7\n")
    result, out = submit(grader, home)
    assert result.exit_code == 0 and "0 of 3 points in the public tests" in result.output
    assert out.exists()


def test_a_module_that_does_not_import_is_said(home, grader):
    solve(home, "def add(a, b:\n")
    result, _ = submit(grader, home)
    assert "does not import" in " ".join(result.output.split())


def test_modules_of_ones_own_come_along_and_other_files_are_named(home, grader):
    solve(home, "from utils import plus\n\n\ndef add(a, b):\n    return plus(a, b)\n")
    solve(home, "def plus(a, b):\n    return a + b\n", "utils.py")
    solve(home, "remember the milk\n", "notes.txt")
    result, out = submit(grader, home)
    words = " ".join(result.output.split())
    assert "does not import it: notes.txt" in words
    with zipfile.ZipFile(out) as packed:
        assert "exercises/addition/utils.py" in packed.namelist()


def test_what_is_forbidden_is_warned_about(home, grader):
    manifest = home / "course.toml"
    manifest.write_text(
        manifest.read_text().replace('files = ["addition.py"]', 'files = ["addition.py"]\nforbidden = ["math.fsum"]')
    )
    solve(home, "import math\n\n\ndef add(a, b):\n    return math.fsum([a, b])\n")
    result, _ = submit(grader, home, "--no-check")
    assert "Line 5 uses fsum, which this exercise forbids." in result.output


def test_a_file_that_nobody_could_read_is_not_packed(home, grader):
    solve(home, "#" * (1 << 21))
    result, out = submit(grader, home)
    assert result.exit_code == 1 and "more than" in result.output
    assert not out.exists()


def test_work_in_the_notebook_is_handed_in_as_the_notebook(home, grader):
    path = home / "exercises/addition/addition.ipynb"
    notebook = json.loads(path.read_text())
    for cell in notebook["cells"]:
        if "NotImplementedError" in "".join(cell["source"]):
            cell["source"] = RIGHT
    path.write_text(json.dumps(notebook))
    result, out = submit(grader, home)
    assert result.exit_code == 0, result.output
    with zipfile.ZipFile(out) as packed:
        assert "exercises/addition/addition.ipynb" in packed.namelist()
        assert "exercises/addition/addition.py" not in packed.namelist()


def test_who_hands_in_is_asked_once_and_remembered(home, grader):
    solve(home)
    result = grader("submit", "--no-check", "--out", home / "a.zip", "--course", home)
    assert result.exit_code == 2 and "--student ID" in result.output
    submit(grader, home, "--no-check", "--with", "s02")
    result = grader("submit", "--no-check", "--out", home / "a.zip", "--course", home)
    assert result.exit_code == 0 and "Packed for s01 with s02" in result.output


def wrappers(content):
    """One zip of ours as each system would give it to a teacher."""
    return {
        "submit": {"s01.zip": content},
        "folder": {"s01/work.zip": content, "s02/work.zip": content},
        "canvas": {"doejane_123_456_s01.zip": content, "roejim_124_457_s02.zip": content},
        "moodle": {
            "Jane Doe_123_assignsubmission_file/s01.zip": content,
            "Jim Roe_124_assignsubmission_file/s02.zip": content,
        },
        "gradescope": {
            "submission_metadata.yml": b'{"submission_1": {":submitters": [{":sid": "s01"}]}}',
            "submission_1/s01.zip": content,
        },
        "nbgrader": {"submitted/s01/hw/s01.zip": content, "submitted/s02/hw/s02.zip": content},
        "repositories": {"s01/s01.zip": content, "s02/s02.zip": content},  # committed below
    }


@pytest.mark.parametrize("layout", wrappers(b""))
def test_every_layout_takes_the_zip(tiny, home, grader, tmp_path, layout):
    solve(home)
    _, out = submit(grader, home, "--no-check")
    for path, content in wrappers(out.read_bytes())[layout].items():
        (tmp_path / "pile" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "pile" / path).write_bytes(content)
    for clone in (tmp_path / "pile").iterdir() if layout == "repositories" else ():
        commit = ("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "done")
        for words in (("init", "-q"), ("add", "."), commit):
            subprocess.run(["git", *words], cwd=clone, check=True)
    intake = read_class(tmp_path / "pile", load_course(tiny / "course.toml"), layout=layout)
    assert intake.submissions
    for submission in intake.submissions:
        assert submission.sources["addition"].content == RIGHT.encode()


def test_what_is_not_as_it_was_packed_is_noted(tiny, home, grader, tmp_path):
    solve(home)
    _, out = submit(grader, home, "--no-check")
    with zipfile.ZipFile(out) as packed:
        about = packed.read("hand_in.json")
    with zipfile.ZipFile(tmp_path / "s01.zip", "w") as changed:
        changed.writestr("hand_in.json", about)
        changed.writestr("exercises/addition/addition.py", RIGHT + "# later\n")
    (only,) = read_class(tmp_path / "s01.zip", load_course(tiny / "course.toml")).submissions
    assert "not as it was packed: exercises/addition/addition.py" in " ".join(only.origin.notes)
    assert only.student == "s01" and "addition" in only.sources


def test_only_a_zip_of_ones_own_is_written_over(home, grader):
    solve(home)
    for _ in range(2):
        result, out = submit(grader, home, "--no-check")
        assert result.exit_code == 0, result.output
    result = grader("submit", "--student", "s02", "--out", out, "--no-check", "--course", home)
    assert result.exit_code == 2 and "s02 did not pack it" in result.output
    out.write_bytes(b"lecture notes")
    result, _ = submit(grader, home, "--no-check")
    assert result.exit_code == 2 and out.read_bytes() == b"lecture notes"
    out.unlink()
    out.mkdir()
    result, _ = submit(grader, home, "--no-check")
    assert result.exit_code == 2 and "is a folder" in result.output


def test_where_nothing_can_be_remembered_the_zip_is_written_all_the_same(home, grader):
    solve(home)
    (home / ".grader").write_text("a file in the place of a folder")
    result, out = submit(grader, home, "--no-check")
    assert result.exit_code == 0 and "not kept for the next time" in result.output
    assert out.exists()


@pytest.mark.parametrize("student", ["ana lópez", "kurs/ana", "../ana", "Ana", "学生", "con"])
def test_any_id_gives_a_name_for_a_file_and_comes_back_as_it_was(tiny, home, grader, monkeypatch, student):
    solve(home)
    monkeypatch.chdir(home)
    result = grader("submit", "--student", student, "--no-check")
    assert result.exit_code == 0, result.output
    (out,) = home.glob("*.zip")
    (only,) = read_class(out, load_course(tiny / "course.toml")).submissions
    assert only.student == student and only.sources["addition"].content == RIGHT.encode()


def test_names_that_are_no_text_and_a_terminal_without_unicode(home):
    solve(home)
    strange = os.fsencode(home / "exercises/addition") + b"/caf\xe9.py"
    try:
        Path(os.fsdecode(strange)).write_text("")
    except OSError:  # a file system that knows text only
        solve(home, "", "café.py")
    done = subprocess.run(
        [sys.executable, "-m", "grader", "submit", "--student", "Zoë"], cwd=home, capture_output=True, check=False,
        env={**os.environ, "PYTHONIOENCODING": "ascii"}, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert b"does not import it: caf" in b" ".join(done.stdout.split())
