"""Grade cells as students run them: in a kernel, on the notebook as it was saved."""

import json
import re
import types

import pytest

from grader.student import cells
from grader.student.cells import CheckFailed, check_cell, check_hidden_cell
from tests.grader.conftest import write

RIGHT = "def add(a, b):\n    return a + b"
WRONG = "def add(a, b):\n    return a - b"


def save(folder, *sources, name="addition"):
    made = [{"cell_type": "code", "metadata": {}, "source": source} for source in sources]
    (folder / f"{name}.ipynb").write_text(json.dumps({"cells": made, "nbformat": 4}))


@pytest.fixture
def here(tiny, monkeypatch):
    folder = tiny / "exercises/addition"
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def shell(monkeypatch):
    """A notebook that runs, with its history and its names."""
    history = types.SimpleNamespace(input_hist_raw=[""])
    found = types.SimpleNamespace(history_manager=history, user_ns={})
    monkeypatch.setattr(cells, "_shell", lambda: found)
    return found


def test_a_right_cell_says_one_line_and_a_wrong_one_what_grader_check_says(here, tiny, grader, capsys):
    save(here, RIGHT)
    check_cell("small", "addition")
    assert capsys.readouterr() == ("✓ Small sums  2/2\n", "")
    save(here, WRONG)
    with pytest.raises(CheckFailed) as caught:
        check_cell("small", "addition")
    said = grader("check", "addition.ipynb", "--course", tiny).output
    words = [line.strip() for line in str(caught.value).splitlines()]
    assert words[-1] == "Hint: Use +."
    assert re.sub(r"\s+", " ", " ".join(words)) in re.sub(r"\s+", " ", said)
    assert caught.value._render_traceback_() == str(caught.value).splitlines()


def test_a_module_that_does_not_import_says_why_and_gives_no_hint(here):
    save(here, "def add(a, b:\n    return a")
    with pytest.raises(CheckFailed) as caught:
        check_cell("zero", "addition")
    assert "cell 1, line 1" in str(caught.value)
    assert "Hint" not in str(caught.value)


def test_scratch_work_and_words_on_stderr_cost_nothing(here, capsys):
    save(
        here,
        "import sys\nprint('x', file=sys.stderr)\n1/0",
        "import sys\n" + RIGHT.replace("return", "print(a, file=sys.stderr)\n    return"),
    )
    check_cell("small", "addition")
    assert capsys.readouterr().err == ""


def test_what_is_not_saved_is_not_graded_in_silence(here, shell):
    save(here, WRONG)
    shell.history_manager.input_hist_raw += [WRONG, RIGHT]
    with pytest.raises(CheckFailed, match="changes that are not saved"):
        check_cell("small", "addition")
    save(here, RIGHT, "add(1, 2)")
    check_cell("small", "addition")


def test_the_suite_runs_once_for_the_same_code(here, shell, monkeypatch):
    save(here, RIGHT)
    check_cell("small", "addition")
    monkeypatch.setattr(cells, "run_suites", None)
    check_cell("zero", "addition")
    with pytest.raises(CheckFailed, match="no criterion 'nothing'"):
        check_cell("nothing", "addition")


def test_without_a_file_the_cells_that_ran_count(here, shell, capsys):
    with pytest.raises(CheckFailed, match="keep its name"):
        check_cell("small", "addition")
    shell.history_manager.input_hist_raw += [WRONG, RIGHT, "from grader.student.cells import check_cell\ncheck_cell()"]
    check_cell("small", "addition")
    assert "✓" in capsys.readouterr().out


def test_hidden_criteria_run_only_where_the_teachers_course_is(here, tiny, monkeypatch, capsys):
    save(here, RIGHT)
    with pytest.raises(CheckFailed, match="tested by your teacher"):
        check_hidden_cell("any", "addition")
    monkeypatch.setenv("GRADER_COURSE", str(tiny))
    check_hidden_cell("any", "addition")
    assert capsys.readouterr().out == "✓ Any sum  1/1\n"


def test_an_earlier_exercise_comes_from_its_folder_or_lies_beside(tiny, here, monkeypatch):
    manifest = (tiny / "course.toml").read_text().replace("budget = 8", 'budget = 8\nbuilds_on = ["addition"]')
    (tiny / "course.toml").write_text(manifest)
    folder = tiny / "exercises/doubling"
    monkeypatch.chdir(folder)
    save(folder, "from addition import add\n\ndef double(a):\n    return add(a, a)", name="doubling")
    check_cell("twice", "doubling")  # as the student's addition.py lies there
    write(here / "addition.py", 'def add(a, b):\n    raise NotImplementedError("add is yours to write")\n')
    write(folder / "addition.py", RIGHT)
    check_cell("twice", "doubling")
