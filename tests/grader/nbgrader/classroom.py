"""A course for nbgrader in a temporary folder, its commands, and students who hand in by copying."""

import atexit
import csv
import functools
import json
import os
import shutil
import subprocess
import sys
import sysconfig

PROGRAM = """
import json, os, sys
from nbgrader.apps.nbgraderapp import main

for line in sys.stdin:
    folder, arguments, log = json.loads(line)
    child = os.fork()
    if child == 0:
        os.chdir(folder)
        for stream, path in enumerate((os.devnull, log, log)):
            os.dup2(os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND), stream)
        sys.argv = ["nbgrader", *arguments]
        main()
        sys.exit()
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


@functools.cache
def _nbgrader():
    """A process that has imported nbgrader and forks one for each command: the import costs most of a command."""
    environment = {**os.environ, "PATH": sysconfig.get_path("scripts") + os.pathsep + os.environ["PATH"]}
    command = [sys.executable, "-c", PROGRAM]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
    atexit.register(process.communicate)
    return process


def nbgrader(course, *args, code=0):
    """Runs a command of nbgrader's in the course; what it logs."""
    process, log = _nbgrader(), course / "command.log"
    log.unlink(missing_ok=True)
    process.stdin.write(json.dumps([str(course), args, str(log)]) + "\n")
    process.stdin.flush()
    done = process.stdout.readline().strip()
    said = log.read_text()
    assert done == str(code), said[-3000:]
    return said


def hand_in(course, student, exercise, code, change=lambda notebook: None):
    """The notebook as it was given out, with this code in the student's cells; without code, untouched."""
    target = course / "submitted" / student / exercise
    shutil.copytree(course / "release" / exercise, target)
    path = target / f"{exercise}.ipynb"
    notebook = json.loads(path.read_text())
    answers = [c for c in notebook["cells"] if c["metadata"].get("nbgrader", {}).get("solution")]
    for number, answer in enumerate(answers if code else ()):
        answer["source"] = code if number == 0 else ""
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
    """Reversed, one cell twice, one renamed, and written for R."""
    graded = next(c for c in notebook["cells"] if c["metadata"].get("nbgrader", {}).get("grade"))
    notebook["cells"] = [*reversed(notebook["cells"]), {**graded, "id": "copy"}]
    notebook["cells"][0]["metadata"]["nbgrader"]["grade_id"] = "renamed"
    notebook["metadata"]["kernelspec"] = {"name": "ir", "display_name": "R", "language": "R"}


def exported(course):
    """Points by student and exercise, from nbgrader's own table."""
    nbgrader(course, "export", "--to", "grades.csv")
    with (course / "grades.csv").open(newline="") as file:
        return {(row["student_id"], row["assignment"]): float(row["score"]) for row in csv.DictReader(file)}


def graded(grader, origin, course, out, *options):
    """The same from ``grader grade`` on nbgrader's course."""
    done = grader("grade", course, "--out", out, "--course", origin, *options)
    assert done.exit_code == 0, done.output
    students = json.loads((out / "results.json").read_text())["students"]
    return {(s["id"], e["name"]): float(e["points_earned"]) for s in students for e in s["exercises"]}


def unprotected(course):
    """Takes the sandbox out: nbgrader's own Execute."""
    config = course / "nbgrader_config.py"
    text = config.read_text()
    assert "CONFINED = True" in text
    config.write_text(text.replace("CONFINED = True", "CONFINED = False"))
