"""The whole circle with nbgrader's own commands: release, submit by copying, autograde, feedback, export."""

import csv
import json
import os
import shutil
import subprocess
import sys
import sysconfig

import pytest

from tests.grader.conftest import write

pytest.importorskip("nbgrader")
pytestmark = pytest.mark.attack

RIGHT = {"addition": "def add(a, b):\n    return a + b", "doubling": "def double(a):\n    return 2 * a"}
HOSTILE = """
import os, pathlib, sqlite3
for name in ({database!r}, {hidden!r}):
    try:
        pathlib.Path({loot!r}).write_text(pathlib.Path(name).read_bytes().hex())
        sqlite3.connect({database!r}).execute("UPDATE grade SET manual_score = 99").connection.commit()
    except Exception:
        pass
class Everything(int):
    __eq__ = lambda self, other: True
    __ne__ = lambda self, other: False
    __hash__ = int.__hash__
add = double = lambda *a: Everything()
"""


def nbgrader(course, *args):
    environment = {**os.environ, "PATH": sysconfig.get_path("scripts") + os.pathsep + os.environ["PATH"]}
    command = [sys.executable, "-m", "nbgrader", *args]
    done = subprocess.run(command, cwd=course, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stderr


def hand_in(course, student, exercise, code, change=lambda notebook: None):
    target = course / "submitted" / student / exercise
    shutil.copytree(course / "release" / exercise, target)
    path = target / f"{exercise}.ipynb"
    notebook = json.loads(path.read_text())
    if code:
        answer = next(c for c in notebook["cells"] if c["metadata"].get("nbgrader", {}).get("solution"))
        answer["source"] = code
    change(notebook)
    path.write_text(json.dumps(notebook))


def scratch(source):
    cell = {"cell_type": "code", "id": "scratch", "metadata": {}, "outputs": [], "execution_count": None}
    return lambda notebook: notebook["cells"].insert(0, {**cell, "source": source})


def without_tests(notebook):
    notebook["cells"] = [c for c in notebook["cells"] if not c["metadata"].get("nbgrader", {}).get("grade")]


def without_metadata(notebook):
    notebook["metadata"] = {}
    for cell in notebook["cells"]:
        cell["metadata"] = {}


def shuffled(notebook):
    graded = next(c for c in notebook["cells"] if c["metadata"].get("nbgrader", {}).get("grade"))
    notebook["cells"] = [*reversed(notebook["cells"]), {**graded, "id": "copy"}]
    notebook["cells"][0]["metadata"]["nbgrader"]["grade_id"] = "renamed"
    notebook["metadata"]["kernelspec"] = {"name": "ir", "display_name": "R", "language": "R"}


def test_the_exported_table_has_the_scores_of_grader_grade(tiny, tmp_path, grader):
    for name in RIGHT:
        write(tiny / f"exercises/{name}/handout.md", f"# {name}\n")
        (tiny / f"exercises/{name}/{name}.py").unlink()
    course = tmp_path / "nbgrader"
    made = grader("nbgrader-course", course, "--course", tiny)
    assert made.exit_code == 0, made.output
    assert "up to date" in grader("nbgrader-course", course, "--course", tiny).output
    loot = tmp_path / "loot"
    hostile = HOSTILE.format(
        database=str(course / "gradebook.db"), hidden=str(tiny / "tests/hidden/test_addition.py"), loot=str(loot)
    )
    for name, right in RIGHT.items():
        nbgrader(course, "generate_assignment", name)
        given = (course / f"release/{name}/{name}.ipynb").read_text()
        assert "check_hidden_cell" not in given
        assert "SOLUTION" not in given
        hand_in(course, "right", name, right)
        hand_in(course, "wrong", name, right.replace("+", "-").replace("2 *", "3 *"))
        hand_in(course, "stub", name, "")
        hand_in(course, "loop", name, right.split("\n")[0] + "\n    while True: pass")
        hand_in(course, "raising", name, right, scratch("%matplotlib inline\n1 / 0\nwhile True: pass"))
        hand_in(course, "deleted", name, right, without_tests)
        hand_in(course, "stderr", name, right.replace("\n", "\n    import sys; print('x', file=sys.stderr)\n", 1))
        hand_in(course, "hostile", name, hostile)
        hand_in(course, "bare", name, right, without_metadata)
        hand_in(course, "shuffled", name, right, shuffled)
    for name in RIGHT:
        said = nbgrader(course, "autograde", name)
        assert "deleted: grade cells were missing, and came back" in said
        nbgrader(course, "generate_feedback", name)
    nbgrader(course, "export", "--to", "grades.csv")
    with (course / "grades.csv").open(newline="") as file:
        exported = {(row["student_id"], row["assignment"]): float(row["score"]) for row in csv.DictReader(file)}

    out = tmp_path / "results"
    done = grader("grade", course, "--out", out, "--course", tiny, "--jobs", 1)
    assert done.exit_code == 0, done.output
    students = json.loads((out / "results.json").read_text())["students"]
    ours = {(s["id"], e["name"]): float(e["points_earned"]) for s in students for e in s["exercises"]}
    assert exported == ours
    full = {"addition": 4.0, "doubling": 5.0}
    for student in ("right", "raising", "deleted", "stderr", "bare", "shuffled"):
        assert {name: exported[student, name] for name in RIGHT} == full, student
    for student in ("stub", "loop", "hostile"):
        assert {name: exported[student, name] for name in RIGHT} == {"addition": 0.0, "doubling": 0.0}, student
    assert not loot.exists()
    feedback = (course / "feedback/wrong/addition/addition.html").read_text()
    assert "Hint: Use +." in feedback
    assert "check_hidden_cell" not in feedback
