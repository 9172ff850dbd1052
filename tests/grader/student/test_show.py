import runpy
import shutil
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from grader.course import find_course
from grader.errors import GraderError
from grader.student.show import drawings, picture, show

COURSE = find_course(Path(__file__))
DRAWINGS = drawings(COURSE)


@pytest.fixture
def solved(tmp_path):
    """The course with solutions where students write."""
    shutil.copy(COURSE.manifest, tmp_path)
    shutil.copytree(COURSE.data, tmp_path / "data", ignore=shutil.ignore_patterns("sample_class"))
    for exercise in COURSE.exercises:
        folder = tmp_path / "exercises" / exercise.name
        folder.mkdir(parents=True)
        shutil.copy(COURSE.solution(exercise), folder)
    return find_course(tmp_path)


@pytest.mark.parametrize("name", DRAWINGS)
def test_the_solution_gives_a_picture_that_is_valid_and_always_the_same(name, solved):
    found = show(solved, name)
    ElementTree.fromstring(found.svg())
    assert found.svg() == show(solved, name).svg() == found._repr_svg_()
    assert max(len(line) for line in found.text().splitlines()) <= 80
    found.text(plain=True).encode("ascii")


def test_every_exercise_in_which_values_are_computed_has_a_drawing():
    assert set(DRAWINGS) == {exercise.name for exercise in COURSE.exercises} - {"edit_distance_tests"}


def test_the_values_in_the_picture_are_the_students_own(solved):
    module = solved.module(solved.exercise("edit_distance"))
    module.write_text(module.read_text().replace("above[j] + delete,", "above[j] + delete + 1,"))
    assert show(solved, "edit_distance").svg() != DRAWINGS["edit_distance"](_solution("edit_distance")).svg()


def test_the_lattice_has_the_numbers_of_the_handout(solved):
    text = show(solved, "ctc").text()
    for number in ("0.060", "0.270", "0.192", "0.380", "0.112", "0.492"):
        assert number in text


@pytest.mark.parametrize("name", ["edit_distance", "ctc"])
def test_the_picture_of_the_handout_is_that_of_the_solution(name):
    shown = (COURSE.folder(COURSE.exercise(name)) / "picture.svg").read_text(encoding="utf-8")
    assert shown == DRAWINGS[name](_solution(name)).svg()


def test_what_is_not_written_yet_is_said(solved):
    exercise = solved.exercise("edit_distance")
    shutil.copy(COURSE.module(exercise), solved.folder(exercise))
    with pytest.raises(GraderError, match="not written yet"):
        show(solved, "edit_distance")


def test_a_notebook_hands_in_its_own_functions(solved, monkeypatch):
    monkeypatch.chdir(solved.root)
    assert picture("edit_distance", _solution("edit_distance")).svg() == show(solved, "edit_distance").svg()


def test_the_command_writes_the_file_and_refuses_other_formats(solved, tmp_path):
    out = tmp_path / "mine.svg"
    show(solved, "edit_distance", out)
    assert out.read_text(encoding="utf-8").startswith("<svg")
    with pytest.raises(GraderError, match=r"mine\.svg"):
        show(solved, "edit_distance", tmp_path / "mine.png")


def _solution(name):
    return runpy.run_path(str(COURSE.solution(COURSE.exercise(name))))
