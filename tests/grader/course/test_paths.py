"""One line between students and teachers: what is public is enough to work with, and holds no secret."""

import shutil

import pytest

from grader.course import find_course, load_course
from grader.errors import ManifestError
from tests.grader.conftest import SECRET, write


@pytest.fixture
def released(tiny, tmp_path):
    """What students get of the small course."""
    course = load_course(tiny / "course.toml")
    copy = tmp_path / "released"
    for file in course.public_files():
        target = copy / file.relative_to(course.root)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, target)
    return copy


def test_what_students_get_is_enough_to_check(released, grader):
    assert find_course(released).secret == ""
    result = grader("check", "--course", released)
    assert result.exit_code == 0, result.output


def test_what_students_get_lies_in_no_secret_folder(course):
    public = course.public_files()
    assert len(public) > 30
    for file in public:
        assert not any(folder in file.parents for folder in course.secret_folders), file
        assert course.is_public(file)


@pytest.mark.parametrize("part", ["solution", "bank", "equivalents", "hidden_suite", "reimplemented"])
def test_what_decides_about_grades_is_never_public(course, part):
    for exercise in course.exercises:
        path = getattr(course, part)(exercise)
        assert not course.is_public(path)
        assert any(folder in path.parents for folder in course.secret_folders)


def test_the_secret_is_no_students_business(course):
    assert not any(file.name == "grading.toml" for file in course.public_files())


def test_everything_of_an_exercise_that_students_need_is_public(course):
    for exercise in course.exercises:
        for path in (course.module(exercise), course.notebook(exercise), course.handout(exercise)):
            assert course.is_public(path)
        assert course.is_public(course.public_suite(exercise))
    assert course.is_public(course.root / "exercises/edit_distance_tests/questions.py")
    assert course.is_public(course.data / "digits.py")
    assert not course.is_public(course.data / "sample_class/README.md")


def test_left_overs_are_not_public(tiny):
    course = load_course(tiny / "course.toml")
    for name in ("addition.py.bak", "addition.py.bak2", ".hidden", "__pycache__/a.pyc", ".ipynb_checkpoints/a.ipynb"):
        assert not course.is_public(write(tiny / "exercises/addition" / name, "x"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("format = 2\n", "`secret`"),
        ("format = 2\nsecret = 20261116\n", "at least 32 hexadecimal digits"),
        ("format = 2\nsecret = '20261116'\n", "is too short"),
        (f"format = 2\nsecret = '{'x' * 40}'\n", "no hexadecimal number"),
        ("format = 1\nseed = 1\n", "found 1, this grader reads 2"),
        (SECRET + "sede = 2\n", "`sede`"),
        ("format =", "Invalid value"),
    ],
)
def test_a_mistake_in_the_grading_file_is_told(tiny, text, words):
    (tiny / "solutions/grading.toml").write_text(text)
    with pytest.raises(ManifestError, match=r"grading\.toml") as caught:
        load_course(tiny / "course.toml")
    assert words in str(caught.value)
