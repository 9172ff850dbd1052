"""A release has what students need, nothing that must stay hidden, and the same bytes each time."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from grader.authoring.release import make_release, write_release
from grader.authoring.student_part import student_modules
from grader.cli import COMMANDS, FOR_STUDENTS
from grader.course import find_course
from grader.errors import GraderError
from tests.grader.conftest import make_tiny, write

SOLUTION = '''
def add(a, b):
    """The sum of two numbers."""
    ### BEGIN SOLUTION
    first_number, second_number = float(a), float(b)
    return first_number + second_number
    ### END SOLUTION
'''
BANK = """
format = 1

[[misconception]]
id = "minus"
explanation = "The second number is taken away where it should be added."
hint = "Which sign stands between the numbers?"
caught_by = ["small"]
find = "return first_number + second_number"
replace = "return first_number - second_number * 1"
"""
STAND_IN = (
    "def add(a, b):\n    numbers_to_be_added = [a, b]\n    return sum(number for number in numbers_to_be_added)\n"
)
PLANTED = {
    "a line of a solution": "first_number, second_number = float(a), float(b)",
    "a line of a hidden test": "    a, b = rng.randrange(1000), rng.randrange(1000)",
    "a line of a misconception": "return first_number - second_number * 1",
    "what a misconception explains": "The second number is taken away where it should be added.",
    "a line of a stand-in": "# return sum(number for number in numbers_to_be_added)",
    "the secret": f"{7:064x}",
}
# What another system lacks: a release must be of use there all the same.
ELSEWHERE = """
import os, sys
for name in ("fcntl", "resource", "termios", "tty", "pwd", "grp"):
    sys.modules[name] = None
for name in ("fork", "killpg", "getuid", "geteuid", "getpgid", "setsid", "O_NOFOLLOW"):
    if hasattr(os, name):
        delattr(os, name)
"""


def environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | {"COLUMNS": "100"}


def run(folder: Path, *command: object) -> subprocess.CompletedProcess[str]:
    """Python in a folder, with what is installed, and of the grader what is in the folder."""
    return subprocess.run(
        [sys.executable, *map(str, command)], cwd=folder, env=environment(), capture_output=True, text=True,
        check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip


@pytest.fixture(scope="module")
def released(course, tmp_path_factory) -> Path:
    """The course in this repository, as its students get it."""
    out = tmp_path_factory.mktemp("release") / "course"
    write_release(out, make_release(course, FOR_STUDENTS, "https://github.com/school/course"))
    return out


@pytest.fixture
def small(tmp_path) -> Path:
    """A small course with one of everything that must stay hidden."""
    root = make_tiny(tmp_path / "course")
    for name in ("addition", "doubling"):
        write(root / f"exercises/{name}/handout.md", f"# {name}\n\nWrite $a + b$.\n\n## What to write\n\nIt.\n")
    write(root / "solutions/addition.py", SOLUTION)
    write(root / "solutions/misconceptions/addition.toml", BANK)
    write(root / "solutions/stand_ins/addition.py", STAND_IN)
    return root


def test_a_release_has_stubs_handouts_notebooks_tests_and_what_is_around_them(released, course):
    for exercise in course.exercises:
        folder = released / "exercises" / exercise.name
        names = {f"{exercise.name}.py", f"{exercise.name}.ipynb", f"test_{exercise.name}.py"}
        assert names | {"handout.md", "handout.html"} <= {path.name for path in folder.iterdir()}
        assert "NotImplementedError" in (folder / f"{exercise.name}.py").read_text()
        first = json.loads((folder / f"{exercise.name}.ipynb").read_text())["cells"][0]["source"]
        assert "https://github.com/school/course" in "".join(first)
        assert f"/{exercise.name}.ipynb" in (released / "README.md").read_text()
    for name in ("AGENTS.md", "start.py", "constraints.txt", ".gitignore", ".github/workflows/check.yml"):
        assert (released / name).is_file(), name
    for name in (".vscode/settings.json", ".vscode/tasks.json", ".vscode/extensions.json", "release.json"):
        json.loads((released / name).read_text())
    json.loads((released / ".devcontainer/devcontainer.json").read_text())


def test_nothing_for_teachers_is_in_a_release(released, course):
    assert not any((released / folder.name).exists() for folder in course.secret_folders)
    parts = {path.name for path in (released / "grader").iterdir() if path.is_dir()}
    assert not parts & {"authoring", "exports", "grading", "validation", "overlap"}
    project = (released / "pyproject.toml").read_text()
    assert all(f'"{name}' in project for name in ("torch", "pytest-timeout", "watchfiles"))
    assert not any(word in project for word in ("nbgrader", "selenium", "jinja2", "pyyaml", "latex2mathml", "ruff"))


def test_the_same_course_gives_the_same_bytes(course, released):
    pieces = make_release(course, FOR_STUDENTS, "https://github.com/school/course")
    there = {path.relative_to(released).as_posix(): path.read_bytes() for path in released.rglob("*") if path.is_file()}
    assert {name: content for name, content in there.items() if "__pycache__" not in name} == pieces


def test_the_command_writes_a_release_and_writes_it_again_over_a_former_one(small, grader, tmp_path):
    for _ in range(2):
        result = grader("release", tmp_path / "out", "--course", small)
        assert result.exit_code == 0, result.output
    write(tmp_path / "out/mine.txt", "x")
    result = grader("release", tmp_path / "out", "--course", small)
    assert result.exit_code == 2 and "mine.txt" in result.output


@pytest.mark.parametrize("where", ["handout.md", "test_addition.py", "notes.txt"])
@pytest.mark.parametrize("planted", PLANTED.values(), ids=PLANTED.keys())
def test_the_scan_finds_what_was_planted(small, grader, tmp_path, planted, where):
    path = small / "exercises/addition" / where
    before = path.read_text() if path.exists() else ""
    if where.endswith(".py"):
        planted = f'"""\n{planted}\n"""'
    path.write_text(f"{before}\n{planted}\n")
    result = grader("release", tmp_path / "out", "--course", small)
    hidden_in_suite = "rng.randrange" in planted and where == "test_addition.py"
    if hidden_in_suite:  # what the author puts into the public suite is public
        assert result.exit_code == 0
        return
    assert result.exit_code == 2 and f"exercises/addition/{where}" in result.output, result.output
    assert not (tmp_path / "out").exists()


def test_titles_and_sentences_of_hidden_criteria_may_be_told(small, grader, tmp_path):
    handout = small / "exercises/addition/handout.md"
    handout.write_text(handout.read_text() + "\nAny sum\nSums of numbers that nobody knows beforehand.\n")
    assert grader("release", tmp_path / "out", "--course", small).exit_code == 0


def test_an_author_may_say_that_a_line_is_public(small, grader, tmp_path):
    line = PLANTED["a line of a solution"]
    write(small / "exercises/addition/notes.txt", line)
    write(small / "solutions/public_lines.txt", line)
    assert grader("release", tmp_path / "out", "--course", small).exit_code == 0


def test_what_a_student_wrote_does_not_get_into_a_release(small):
    """The module that lies in the course may be somebody's work; students get the stub."""
    pieces = make_release(find_course(small), FOR_STUDENTS)
    assert b"a + b" not in pieces["exercises/addition/addition.py"]


def test_a_formula_that_is_none_is_named(small):
    write(small / "exercises/addition/handout.md", "# A\n\n$$\\frac{1}{$$\n")
    with pytest.raises(GraderError, match="frac"):
        make_release(find_course(small), FOR_STUDENTS)


def test_every_command_for_students_works_with_nothing_else_of_the_grader(released):
    assert set(FOR_STUDENTS) <= set(COMMANDS)
    done = run(released, "-c", "import grader; print(grader.__file__)")
    assert Path(done.stdout.strip()) == released / "grader/__init__.py", done.stderr
    for command in FOR_STUDENTS:
        done = run(released, "-m", "grader", command.name, "--help")
        assert done.returncode == 0 and "Usage" in done.stdout, done.stderr
    assert run(released, "-m", "grader", "grade").returncode == 2


def test_every_module_for_students_can_be_imported_and_most_of_them_on_any_system(released):
    modules = sorted(name for name in student_modules(FOR_STUDENTS) if name != "grader.__main__")
    done = run(released, "-c", "".join(f"import {name}\n" for name in modules))
    assert done.returncode == 0, done.stderr
    # These confine code, or serve a warm judge; a student's machine never asks for them.
    parts = {"sandbox", "server", "child_process", "confined", "confine", "linux", "landlock", "seccomp", "diagnose"}
    elsewhere = [name for name in modules if not parts & set(name.split("."))]
    assert {"grader.cli.check", "grader.student.submit", "grader.judge.plugin", "grader.training.run"} <= set(elsewhere)
    done = run(released, "-c", ELSEWHERE + "".join(f"import {name}\n" for name in elsewhere))
    assert done.returncode == 0, done.stderr


def test_the_whole_way_from_release_to_grade(released, course, grader, tmp_path):
    """Release, solve one exercise, check, pytest, submit, grade: 100."""
    home = tmp_path / "home"
    shutil.copytree(released, home, ignore=shutil.ignore_patterns("__pycache__"))
    module = home / "exercises/edit_distance/edit_distance.py"
    assert run(home, "-m", "grader", "check", "edit_distance").returncode == 1
    nothing = run(home, "-m", "grader", "submit", "edit_distance", "--student", "s01", "--no-check")
    assert nothing.returncode == 1 and "nothing is written there yet" in nothing.stdout
    shutil.copy(course.root / "solutions/edit_distance.py", module)
    done = run(home, "-m", "grader", "check", "edit_distance")
    assert done.returncode == 0, done.stdout + done.stderr
    done = run(home, "-m", "pytest", "-q", "exercises/edit_distance")
    assert done.returncode == 0 and " passed" in done.stdout, done.stdout
    done = run(home, "-m", "grader", "submit", "edit_distance", "--student", "s01")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "exercises/edit_distance/edit_distance.py" in done.stdout and "Nothing was sent" in done.stdout
    result = grader(
        "grade", home / "s01.zip", "--out", tmp_path / "results", "--exercise", "edit_distance", "--seed", "words",
        "--course", course.root,
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    (student,) = json.loads((tmp_path / "results/results.json").read_text())["students"]
    assert (student["id"], student["score"]) == ("s01", 100.0)
