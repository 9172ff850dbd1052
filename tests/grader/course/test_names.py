"""The names that an exercise asks for."""

from grader.course import find_course
from grader.course.names import wanted_names
from tests.grader.conftest import write


def test_they_are_what_the_solution_defines(tiny):
    write(
        tiny / "solutions/addition.py", "import os\nA, B = 1, 2\nC: int = 3\ndef add(): pass\nclass K: pass\nprint(A)\n"
    )
    course = find_course(tiny)
    assert wanted_names(course, course.exercise("addition")) == ("A", "B", "C", "K", "add")


def test_an_exercise_that_builds_on_others_asks_for_their_names_too(tiny):
    manifest = tiny / "course.toml"
    manifest.write_text(manifest.read_text().replace("budget = 8", 'budget = 8\nbuilds_on = ["addition"]'))
    write(tiny / "solutions/stand_ins/addition.py", "def add(a, b):\n    return a + b\n")
    course = find_course(tiny)
    assert wanted_names(course, course.exercise("doubling")) == ("add", "double")


def test_without_a_solution_they_are_the_words_of_the_public_suite(tiny):
    (tiny / "solutions/addition.py").unlink()
    course = find_course(tiny)
    assert "add" in wanted_names(course, course.exercise("addition"))
    (tiny / "exercises/addition/test_addition.py").unlink()
    assert wanted_names(course, course.exercise("addition")) == ()
