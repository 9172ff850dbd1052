import runpy
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import msgspec
import pytest

from grader.course import find_course
from grader.errors import GraderError
from grader.student.pictures import Grid
from grader.student.show import drawings, picture, show
from grader.training.checkpoint import TrainingState
from grader.training.tasks import import_data

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


@pytest.mark.parametrize(
    "name", ["edit_distance", "ctc", "attention", "multihead_attention", "beam_search", "recurrent_cells"]
)
def test_the_picture_of_the_handout_is_that_of_the_solution(name):
    shown = (COURSE.folder(COURSE.exercise(name)) / "picture.svg").read_text(encoding="utf-8")
    assert shown == DRAWINGS[name](_solution(name)).svg()


def test_what_is_not_written_yet_is_said(solved):
    exercise = solved.exercise("edit_distance")
    shutil.copy(COURSE.module(exercise), solved.folder(exercise))
    with pytest.raises(GraderError, match="not written yet"):
        show(solved, "edit_distance")


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("def edit_table(:", "SyntaxError"),
        ("import sys\ndef edit_table(*a, **k):\n    sys.exit(3)", "SystemExit in edit_distance.py, line 3"),
        ("def edit_table(*a, **k):\n    return {}[5]", "KeyError in edit_distance.py, line 2"),
        ("def edit_table(*a, **k): pass", "needs 'alignment'"),
        ("def edit_table(*a, **k): pass\ndef alignment(*a, **k): pass", "nothing that can be drawn"),
        ("def edit_table(*a, **k): return [['x']]\ndef alignment(*a, **k): return []", "nothing that can be drawn"),
        ("def edit_table(*a, **k): return edit_table()", "RecursionError"),
    ],
)
def test_what_cannot_be_drawn_is_said_in_a_sentence(code, words, solved, grader):
    solved.module(solved.exercise("edit_distance")).write_text(code + "\n")
    result = grader("show", "edit_distance", "--course", solved.root)
    assert result.exit_code == 2
    assert words in " ".join(result.output.split())
    assert "Traceback" not in result.output


def test_no_number_is_drawn_as_no_number(solved):
    module = solved.module(solved.exercise("attention"))
    module.write_text(
        module.read_text() + "\nsoftmax = masked_softmax\n\n"
        "def masked_softmax(scores, mask=None):\n    return softmax(scores, mask) * float('nan')\n"
    )
    found = show(solved, "attention")
    assert "nan" in found.text()
    ElementTree.fromstring(found.svg())
    assert Grid(shades=[[float("nan"), 1.0]]).lines(plain=True) == ["|??##|"]


def test_what_the_terminal_would_obey_is_written_out(solved):
    module = solved.module(solved.exercise("edit_distance"))
    module.write_text("def edit_table(*a): return [[1]]\ndef alignment(*a): return [('keep', '\\x1b[31m' * 99, 0)]\n")
    found = show(solved, "edit_distance")
    assert "\x1b" not in found.text() + found.svg()
    assert max(len(line) for line in found.text().splitlines()) <= 80


def test_code_that_does_not_end_is_ended_and_said_where(solved):
    module = solved.module(solved.exercise("edit_distance"))
    module.write_text("def edit_table(*a, **k):\n    while True:\n        pass\n")
    command = [sys.executable, "-m", "grader", "show", "edit_distance", "--seconds", "3", "--course", str(solved.root)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "not come to an end after 3 seconds in edit_distance.py, line" in done.stderr


def test_the_curve_of_a_run_of_grader_train_is_shown(solved):
    run = solved.root / "runs" / "seq2seq-digits" / "run.json"
    run.parent.mkdir(parents=True)
    state = TrainingState(exercise="seq2seq", task="digits", seed=0, sizes={}, step=60, losses=[(30, 2.5), (60, 1.25)])
    run.write_bytes(msgspec.json.encode(state))
    text = show(solved, "seq2seq").text()
    assert "from 2.50 to 1.25" in text and "(digits)" in text and "60" in text
    run.write_text("{")
    assert "The first steps on reversed digits" in show(solved, "seq2seq").text()


def test_a_loss_that_is_no_number_ends_the_curve():
    found = import_data(COURSE.data, "drawings")._learning([2.0, 1.5, float("nan"), 9.0])
    assert "The loss of step 3 is nan" in found.text()
    ElementTree.fromstring(found.svg())


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
