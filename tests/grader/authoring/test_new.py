"""``grader new``: a small exercise that is complete, and is proven as it is."""

import ast
import json
import sys
import tomllib

import pytest

FILES = [
    "course.toml",
    "exercises/bigram_pairs/bigram_pairs.ipynb",
    "exercises/bigram_pairs/bigram_pairs.py",
    "exercises/bigram_pairs/handout.md",
    "exercises/bigram_pairs/test_bigram_pairs.py",
    "solutions/bigram_pairs.py",
    "solutions/misconceptions/bigram_pairs.toml",
    "tests/hidden/test_bigram_pairs.py",
    "tests/variants/bigram_pairs/another_style.py",
]


@pytest.fixture
def empty(tmp_path):
    (tmp_path / "course.toml").write_text('# Ours.\nformat = 1\ntitle = "Toy"  # for trying\n')
    return tmp_path


def files_in(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_a_new_exercise_is_proven_as_it_is(grader, empty):
    begun = grader("new", "bigram_pairs", "--title", 'What "comes" \\ next?', "--course", empty)
    assert begun.exit_code == 0, begun.output
    assert files_in(empty) == FILES
    assert all(f"  {name}\n" in begun.output for name in FILES if name != "course.toml")
    assert "grader validate bigram_pairs" in begun.output
    assert all(len(line) <= 80 for line in begun.output.splitlines() if "grader stubs" not in line)
    found = grader("validate", "bigram_pairs", "--course", empty, "--mutate", "--seeds", 3, "--jobs", 1)
    assert found.exit_code == 0, found.output
    assert "Mutants are killed: 100.0%" in found.output
    for command in ("stubs", "notebooks"):
        assert grader(command, "--check", "--course", empty).exit_code == 0


def test_the_table_is_added_as_text_so_that_comments_stay(grader, empty):
    before = (empty / "course.toml").read_text()
    grader("new", "first", "--course", empty)
    (empty / "course.toml").write_bytes((empty / "course.toml").read_bytes().rstrip())
    grader("new", "second", "--title", 'Say "ü"\\', "--optional", "--course", empty / "exercises/first")
    text = (empty / "course.toml").read_text()
    assert text.startswith(before)
    first, second = tomllib.loads(text)["exercise"]
    assert first == {
        "name": "first",
        "title": "First",
        "files": ["first.py"],
        "hidden_criteria": 1,
        "hidden_points": 2,
    }
    assert (second["title"], second["optional"]) == ('Say "ü"\\', True)
    assert ast.get_docstring(ast.parse((empty / "solutions/second.py").read_text())).startswith('Say "ü"\\\n')
    assert (empty / "exercises/second/handout.md").read_text().startswith('# 1b `second`: Say "ü"\\\n')


def test_without_the_extra_for_notebooks_an_exercise_begins_without_one(grader, empty, monkeypatch):
    monkeypatch.setitem(sys.modules, "nbformat", None)
    begun = grader("new", "bigram_pairs", "--course", empty)
    assert begun.exit_code == 0, begun.output
    assert files_in(empty) == [name for name in FILES if not name.endswith(".ipynb")]
    assert "grader stubs bigram_pairs && grader validate bigram_pairs" in begun.output


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Edit-Distance", "'edit_distance' would do"),
        ("2nd", "a letter first"),
        ("../up", "'up' would do"),
        ("class", "a word of Python's own"),
        ("test_it", "taken for a test"),
        ("random", "There is a module 'random' already"),
        ("torch", "There is a module 'torch' already"),
        ("msgspec", "There is a module 'msgspec' already"),
        ("addition", "There is an exercise 'addition'"),
    ],
)
def test_a_name_that_cannot_be_is_refused_and_nothing_is_written(grader, tiny, name, words):
    before = {path: (tiny / path).read_bytes() for path in files_in(tiny)}
    found = grader("new", name, "--course", tiny)
    assert found.exit_code == 2
    assert words in found.output
    assert {path: (tiny / path).read_bytes() for path in files_in(tiny)} == before


def test_no_file_is_written_over(grader, empty):
    there = empty / "tests/hidden/test_mine.py"
    there.parent.mkdir(parents=True)
    there.write_text("# mine\n")
    before = (empty / "course.toml").read_text()
    found = grader("new", "mine", "--course", empty)
    assert found.exit_code == 2
    assert "tests/hidden/test_mine.py" in found.output and "Nothing was written" in found.output
    assert there.read_text() == "# mine\n"
    assert files_in(empty) == ["course.toml", "tests/hidden/test_mine.py"]
    assert (empty / "course.toml").read_text() == before


def test_if_a_file_cannot_be_written_none_is_left(grader, empty):
    (empty / "tests").write_text("a file where a folder is needed")
    found = grader("new", "mine", "--course", empty)
    assert found.exit_code == 2
    assert "cannot be written" in found.output and "Traceback" not in found.output
    assert files_in(empty) == ["course.toml", "tests"]


def test_without_a_course_it_says_how_to_begin_one(grader, tmp_path):
    found = grader("new", "mine", "--course", tmp_path)
    assert found.exit_code == 2
    assert "begin a course" in found.output


def test_a_mistake_in_the_manifest_is_told_and_nothing_is_written(grader, empty):
    with (empty / "course.toml").open("a") as file:
        file.write("weight = 3\n")
    found = grader("new", "mine", "--course", empty)
    assert found.exit_code == 2
    assert "weight: is not a known key" in found.output
    assert files_in(empty) == ["course.toml"]


def test_a_student_who_writes_nothing_gets_nothing_and_who_writes_it_gets_all(grader, empty, tmp_path):
    grader("new", "bigram_pairs", "--course", empty)
    assert grader("check", "bigram_pairs", "--course", empty).exit_code == 1
    module = empty / "exercises/bigram_pairs/bigram_pairs.py"
    module.write_text((empty / "tests/variants/bigram_pairs/another_style.py").read_text())
    found = grader("check", "bigram_pairs", "--course", empty, "--json")
    assert found.exit_code == 0, found.output
    assert json.loads(found.stdout)
