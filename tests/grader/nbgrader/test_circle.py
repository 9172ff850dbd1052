"""The whole circle with nbgrader's own commands: release, submit by copying, autograde, feedback, export."""

import html
from pathlib import Path

import pytest

from grader.course import find_course
from grader.course.misconceptions import apply_misconception, load_misconceptions
from tests.grader.conftest import write
from tests.grader.nbgrader.classroom import (
    exported,
    graded,
    hand_in,
    nbgrader,
    scratch,
    shuffled,
    unprotected,
    without_metadata,
    without_tests,
)  # fmt: skip

pytest.importorskip("nbgrader")
pytestmark = pytest.mark.attack

RIGHT = {"addition": "def add(a, b):\n    return a + b", "doubling": "def double(a):\n    return 2 * a"}
FULL = {"addition": 4.0, "doubling": 5.0}
ATTACK = """
def _attack():
    import os, pathlib, sqlite3
    got = []
    try:
        got.append("course " + os.environ["GRADER_COURSE"])
    except Exception:
        pass
    try:
        text = pathlib.Path({hidden!r}).read_text()
        got.append("test " + text)
        pathlib.Path({loot!r}).write_text(text)
    except Exception:
        pass
    try:
        other = ("SELECT n.id FROM submitted_notebook n JOIN submitted_assignment a ON n.assignment_id = a.id "
                 "WHERE a.student_id = 'anna'")
        with sqlite3.connect("file:{database}?mode=rw", uri=True) as database:
            database.execute(f"UPDATE grade SET manual_score = 0 WHERE notebook_id IN ({{other}})")
        got.append("row")
    except Exception:
        pass
    try:
        import grader.student.cells as cells
        cells.check_cell = cells.check_hidden_cell = lambda *words: None
    except Exception:
        pass
    return got

_got = _attack()

class _Everything(int):
    __eq__ = lambda self, other: True
    __ne__ = lambda self, other: False
    __hash__ = int.__hash__

"""
TELLS = "    raise (PermissionError if _got + _attack() else ZeroDivisionError)\n"  # feedback shows its name alone
FORGES = "    return (_attack(), _Everything())[1]\n"


def attack(course, origin, loot, signature, body):
    hidden = origin / "tests/hidden/test_addition.py"
    before = ATTACK.format(hidden=str(hidden), loot=str(loot), database=str(course / "gradebook.db"))
    return f"{before}{signature}\n{body}"


@pytest.fixture
def course(tiny, tmp_path, grader):
    """The tiny course for nbgrader, given out."""
    for name in RIGHT:
        write(tiny / f"exercises/{name}/handout.md", f"# {name}\n")
        (tiny / f"exercises/{name}/{name}.py").unlink()
    folder = tmp_path / "nbgrader"
    made = grader("nbgrader-course", folder, "--course", tiny)
    assert made.exit_code == 0, made.output
    assert "up to date" in grader("nbgrader-course", folder, "--course", tiny).output
    for name in RIGHT:
        nbgrader(folder, "generate_assignment", name)
    return folder


LOOPS = {"edit_distance": "def alignment(*words, **costs):", "ctc": "def greedy_decode(*words, **more):"}


def test_two_real_exercises_come_back_with_the_scores_of_grader_grade(tmp_path, grader):
    real = find_course(Path(__file__))
    course = tmp_path / "nbgrader"
    assert grader("nbgrader-course", course, "--course", real.root).exit_code == 0
    for name, loop in LOOPS.items():
        nbgrader(course, "generate_assignment", name)
        given = (course / f"release/{name}/{name}.ipynb").read_text()
        assert "check_hidden_cell" not in given
        assert "SOLUTION" not in given
        exercise = real.exercise(name)
        right = real.solution(exercise).read_text()
        mistake = load_misconceptions(real.bank(exercise))[0]
        spy = f"{loop}\n    return open({str(real.hidden_suite(exercise))!r}).read()\n"
        hand_in(course, "right", name, right)
        hand_in(course, "wrong", name, apply_misconception(mistake, right, real.solution(exercise)))
        hand_in(course, "stub", name, "")
        hand_in(course, "loop", name, f"{right}\n\n{loop}\n    while True: pass\n")
        hand_in(course, "raising", name, right, scratch("%matplotlib inline\n1 / 0\nwhile True: pass"))
        hand_in(course, "deleted", name, right, without_tests)
        hand_in(course, "stderr", name, f"{right}\nimport sys\n_ = print('hello', file=sys.stderr)\n")
        hand_in(course, "hostile", name, f"{right}\n{spy}\n")
        nbgrader(course, "autograde", name)
        nbgrader(course, "generate_feedback", name)
        explained = " ".join((course / f"feedback/wrong/{name}/{name}.html").read_text().split())  # lines are folded
        assert html.escape(mistake.explanation, quote=False) in explained, "the mistake is named"
    found = exported(course)
    chosen = [word for name in LOOPS for word in ("--exercise", name)]
    assert found == graded(grader, real.root, course, tmp_path / "results", "--jobs", 1, *chosen)
    for name in LOOPS:
        full = found["right", name]
        assert full > 0
        assert {found[student, name] for student in ("raising", "deleted", "stderr")} == {full}
        assert 0 < found["wrong", name] < full
        assert 0 < found["loop", name] < full
        assert found["stub", name] == 0
        assert found["hostile", name] == found["loop", name], "reading a hidden test is as good as no answer"


def test_whatever_became_of_the_cells_the_code_counts(course, tiny, tmp_path, grader):
    for name, right in RIGHT.items():
        hand_in(course, "bare", name, right, without_metadata)
        hand_in(course, "deleted", name, right, without_tests)
        hand_in(course, "loop", name, right.split("\n")[0] + "\n    while True: pass")
        hand_in(course, "shuffled", name, right, shuffled)
        said = nbgrader(course, "autograde", name)
        assert "deleted: grade cells were missing, and came back" in said
    found = exported(course)
    assert found == graded(grader, tiny, course, tmp_path / "results", "--jobs", 1)
    assert {found[student, name] for student in ("bare", "deleted", "shuffled") for name in RIGHT} == {4.0, 5.0}
    assert found["loop", "addition"] == found["loop", "doubling"] == 0


def attacked(course, tiny, loot):
    """Honest students, and zed, who attacks; anna was graded before."""
    addition = RIGHT["addition"]
    for student in ("anna", "stderr"):
        loud = "\n    import sys; print('x', file=sys.stderr)\n" if student == "stderr" else "\n"
        hand_in(course, student, "addition", addition.replace("\n", loud))
    hand_in(course, "wrong", "addition", addition.replace("+", "-"))
    hand_in(course, "stub", "addition", "")
    hand_in(course, "zed", "addition", attack(course, tiny, loot, "def add(a, b):", FORGES))
    nbgrader(course, "autograde", "addition", "--student", "anna")
    before = exported(course)["anna", "addition"]
    nbgrader(course, "autograde", "addition")
    nbgrader(course, "generate_feedback", "addition")
    assert before == 4.0
    return exported(course)


HONEST = {("anna", "addition"): 4.0, ("stderr", "addition"): 4.0, ("wrong", "addition"): 1.0, ("stub", "addition"): 0.0}


def test_in_the_sandbox_nothing_is_forged_read_or_changed(course, tiny, tmp_path, grader):
    loot = tmp_path / "loot"
    code = attack(course, tiny, loot, "def double(a):", TELLS)
    hand_in(course, "zed", "doubling", code)
    found = attacked(course, tiny, loot)
    found = {key: points for key, points in found.items() if key[1] == "addition"}
    assert graded(grader, tiny, course, tmp_path / "results", "--exercise", "addition") == found
    assert found.pop(("zed", "addition")) < 4.0, "what is wrong stays wrong"
    assert found == HONEST
    assert not loot.exists()
    nbgrader(course, "autograde", "doubling")
    nbgrader(course, "generate_feedback", "doubling")
    said = (course / "feedback/zed/doubling/doubling.html").read_text()
    assert "Your code raised ZeroDivisionError" in said, "the attack ran, and got nothing"
    page = (course / "feedback/wrong/addition/addition.html").read_text()
    assert "Hint: Use +." in page
    assert "check_hidden_cell" not in page


def test_without_the_sandbox_the_same_student_forges_reads_and_changes(course, tiny, tmp_path):
    """Why the sandbox is there. Honest students get the same points as in it."""
    unprotected(course)
    loot = tmp_path / "loot"
    found = attacked(course, tiny, loot)
    assert found["zed", "addition"] == 4.0, "forged"
    assert loot.read_text() == (tiny / "tests/hidden/test_addition.py").read_text(), "read"
    assert found["anna", "addition"] == 0.0, "changed"
    assert {key: found[key] for key in HONEST if key[0] != "anna"} == {
        key: points for key, points in HONEST.items() if key[0] != "anna"
    }
    page = (course / "feedback/wrong/addition/addition.html").read_text()
    assert "check_hidden_cell" not in page


def test_validate_is_green_on_source_and_says_what_fails_on_what_students_get(course):
    notebook = "addition/addition.ipynb"
    assert "Success! Your notebook passes all the tests." in nbgrader(course, "validate", f"source/{notebook}")
    said = nbgrader(course, "validate", f"release/{notebook}")
    assert "VALIDATION FAILED ON 2 CELL(S)" in said, "the public ones; hidden tests are not in it"
    assert "add is not implemented yet: write it in addition.ipynb" in said
    assert "Small sums (2 points)" in said
