"""A release has what students need, nothing that must stay hidden, and the same bytes each time."""

import html
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from grader.authoring.release import make_release, write_release
from grader.authoring.scan import scan
from grader.authoring.student_part import student_modules
from grader.cli import COMMANDS, FOR_STUDENTS
from grader.course import find_course
from grader.course.marks import find_regions
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
HIDDEN = """
import pytest

from grader.judge import assert_equal, criterion

NUMBERS_THAT_ARE_TRIED = '''
four and five and six make fifteen
'''


@criterion("Any sum", points=1, kind="value", hint="Think again, and then once more.")
@pytest.mark.parametrize(
    "numbers",
    [(20731, 11939, 32670), (50021, 60013, 110034)],
)
def test_any(student, rng, numbers):
    '''Sums of numbers that nobody knows beforehand.'''
    a, b = rng.randrange(1000), rng.randrange(1000)
    assert_equal(student.add(a, b), a + b, f"add({a}, {b})")
"""
BANK = '''
format = 1

[[misconception]]
id = "minus"
explanation = "The second number is taken away where it should be added. Numbers are not debts."
hint = "Which sign stands between the numbers?"
caught_by = ["any"]
find = "    return first_number + second_number"
replace = """
    'It says what it does, and does it wrong.'
    return first_number - second_number * 1"""
'''
STAND_IN = '''
def add(a, b):
    """Adds what it is given, one number after the other."""
    numbers_to_be_added = [a, b]
    return sum(number for number in numbers_to_be_added)
'''
VARIANT = """
def add(a, b):
    numbers = [a]
    numbers.append(b)
    numbers = sum(numbers)
    return numbers
"""
PLANTED = [  # each with what the scan says of it; a line of text in a file
    ("first_number, second_number = float(a), float(b)", "the solution of addition"),
    ("so write first_number,second_number=float( a ),float(b) at last", "the solution of addition"),
    ("a, b = rng.randrange(1000), rng.randrange(1000)", "the hidden tests of addition"),
    ('assert_equal(student.add(a, b), a + b, f"add({a}, {b})")  # as it is', "the hidden tests of addition"),
    ("Try [(20731, 11939, 32670), (50021, 60013, 110034)] too.", "the hidden tests of addition"),
    ("four and five and six make fifteen", "the hidden tests of addition"),
    ("# return first_number - second_number * 1", "the misconception minus of addition"),
    ("It says what it does, and does it wrong.", "the misconception minus of addition"),
    ("The second number is taken away where it should be added.", "the misconception minus of addition"),
    ("return sum(number for number in numbers_to_be_added)", "the stand-in for addition"),
    ("Adds what it is given, one number after the other.", "the stand-in for addition"),
    ("numbers = [a]; numbers.append(b)", "the variant by_list of addition"),
    (f"{7:064x}", "the secret of the course"),
]
FIRST = 4  # the line in which the first is planted


def planted_in(kind: str, lines: list[str]) -> str:
    """A file of this kind that says these lines, from its line FIRST on."""
    if kind == "ipynb":
        source = [line + "\n" for line in lines]
        return json.dumps({"cells": [{"source": source}]}, indent=1).replace("{\n", "{", 1)
    if kind == "html":
        body = [html.escape(line).replace(" ", "</b> <b>") for line in lines]
        return "\n".join(["<html>", "<body>", "<pre>", *body, "</pre></body></html>"])
    if kind == "md":
        return "\n".join(["# Notes", "", "So it goes:", *(f"> - {line}" for line in lines)])
    return "\n".join(['"""Notes."""', "", 'NOTES = """', *lines, '"""'])


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


def write_as_it_is(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


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
    write(root / "tests/hidden/test_addition.py", HIDDEN)
    write_as_it_is(root / "solutions/misconceptions/addition.toml", BANK)
    write(root / "solutions/stand_ins/addition.py", STAND_IN)
    write(root / "tests/variants/addition/by_list.py", VARIANT)
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


def test_the_same_course_gives_the_same_bytes(course, released, tmp_path):
    """From another folder, into another folder, at another time, and with another order of sets."""
    ours = {"course.toml", "exercises", "solutions", "tests", "data", "docs", "LICENSE", "constraints.txt"}
    skipped = shutil.ignore_patterns("__pycache__", ".*")
    (tmp_path / "moved").mkdir()
    for name in ours:
        source, target = course.root / name, tmp_path / "moved" / name
        shutil.copytree(source, target, ignore=skipped) if source.is_dir() else shutil.copy(source, target)
    for path in (tmp_path / "moved").rglob("*"):
        os.utime(path, (1_000_000_000, 1_000_000_000))
    done = subprocess.run(
        [sys.executable, "-m", "grader", "release", tmp_path / "out", "--course", tmp_path / "moved", "--repository",
         "https://github.com/school/course"],
        cwd=course.root, env={**os.environ, "PYTHONHASHSEED": "12345"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert contents(tmp_path / "out") == contents(released)


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_the_command_writes_a_release_and_writes_it_again_over_a_former_one(small, grader, tmp_path):
    for _ in range(2):
        result = grader("release", tmp_path / "out", "--course", small)
        assert result.exit_code == 0, result.output
    write(tmp_path / "out/mine.txt", "x")
    result = grader("release", tmp_path / "out", "--course", small)
    assert result.exit_code == 2 and "mine.txt" in result.output


@pytest.mark.parametrize("kind", ["py", "ipynb", "md", "html"])
def test_the_scan_names_file_and_line_of_all_that_was_planted(small, kind):
    write_as_it_is(small / f"exercises/addition/notes.{kind}", planted_in(kind, [line for line, _ in PLANTED]))
    with pytest.raises(GraderError) as error:
        make_release(find_course(small), FOR_STUDENTS)
    for number, (line, what) in enumerate(PLANTED, start=FIRST):
        assert f"exercises/addition/notes.{kind}:{number}: {what}: " in str(error.value), line


def test_the_scan_reads_handouts_and_public_suites(small, grader, tmp_path):
    """What stands in a handout is in its page and its notebook too."""
    some = PLANTED[1::3]
    lines = "\n\n".join(line for line, _ in some)
    for name, quotes in (("handout.md", ""), ("test_addition.py", '"""')):
        path = small / "exercises/addition" / name
        path.write_text(f"{path.read_text()}\n{quotes}\n{lines}\n{quotes}\n")
    result = grader("release", tmp_path / "out", "--course", small)
    assert result.exit_code == 2
    for name in ("handout.md", "handout.html", "addition.ipynb", "test_addition.py"):
        for _, what in some:
            assert re.search(rf"exercises/addition/{name}:\d+: {what}", result.output), (name, what)
    assert not (tmp_path / "out").exists()


def test_short_lines_are_found_together(small):
    course = find_course(small)
    assert not scan(course, {"notes.txt": b"numbers = [a]\nreturn numbers\n"})
    (leak,) = scan(course, {"notes.txt": b"\nnumbers = [a]\n\nnumbers.append(b)\n"})
    assert (leak.line, leak.last) == (2, 4)


def test_nearly_every_line_of_the_solutions_would_be_found(course):
    """docs/release.md says how many: of all lines that students write, planted with and without their neighbours."""
    alone, together, count = set(), set(), 0
    for exercise in course.exercises:
        path = course.solution(exercise)
        lines = path.read_text().splitlines()
        regions = [set(range(r.begin + 1, r.end)) for r in find_regions(path.read_text(), path)]
        inside = [number for region in regions for number in sorted(region) if lines[number - 1].strip()]
        count += len(inside)
        kept = {number: lines[number - 1] for number in inside}
        whole = "\n".join(kept.get(number, "") for number in range(1, len(lines) + 1))
        for leak in scan(course, {"notes.md": whole.encode()}):
            together |= {(path, number) for number in range(leak.line, leak.last + 1) if number in kept}
            if leak.line == leak.last:
                alone.add((path, leak.line))
    assert len(together) / count > 0.95
    assert len(alone) / count > 0.65


def test_titles_and_sentences_of_hidden_criteria_may_be_told(small, grader, tmp_path):
    handout = small / "exercises/addition/handout.md"
    told = ("Any sum", "Think again, and then once more.", "Sums of numbers that nobody knows beforehand.")
    handout.write_text("\n".join([handout.read_text(), *told, ""]))
    assert grader("release", tmp_path / "out", "--course", small).exit_code == 0


def test_an_author_may_say_that_a_line_is_public(small, grader, tmp_path):
    line = PLANTED[0][0]
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
