"""CPU seconds per notebook of ``nbgrader autograde``: ConfinedExecute against nbgrader's own Execute.

    python benchmarks/nbgrader.py [--exercise ctc] [--students 24] [--runs 3]

Both grade the same notebooks in one run of nbgrader each: the code of the sample class, repeated with differences.
Ours is measured without and with the search for known mistakes, which a kernel does not make. One run more has no step
that judges, so it shows what nbgrader needs for itself: it reads, compares and writes notebooks and its gradebook.
"Judging alone" compares what is left without that. Medians of several runs; the start-up of everything is in them.

CPU seconds are those of the command and of all processes that it started, also of those that it left behind. What ends
together with a sandbox is not counted: less than a second of a run.
"""

from __future__ import annotations

import argparse
import csv
import ctypes
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SAMPLE = ROOT / "data" / "sample_class"
LEFT_OUT = ("s08", "s11", "s12")  # endless loops measure the budgets; a program that ends itself is not honest
PR_SET_CHILD_SUBREAPER = 36
STOCK, OWN = "stock Execute", "nothing is judged"
WAYS = {  # what is replaced in nbgrader_config.py
    "ConfinedExecute, the same tests": (
        "c.ConfinedExecute.course = COURSE",
        "c.ConfinedExecute.course = COURSE; c.ConfinedExecute.diagnose = False",
    ),
    "ConfinedExecute, with diagnoses": ("", ""),
    OWN: ("ConfinedExecute if CONFINED else Execute, ", ""),
    STOCK: ("CONFINED = True", "CONFINED = False"),
}


def run(*command: str | Path, cwd: Path = ROOT) -> None:
    path = sysconfig.get_path("scripts") + os.pathsep + os.environ["PATH"]
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    words = [sys.executable, "-m", *map(str, command)]
    done = subprocess.run(words, cwd=cwd, env=environment, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        sys.exit(f"{' '.join(words)}\n{done.stdout}{done.stderr}")


def measure(*command: str | Path, cwd: Path) -> tuple[float, float]:
    """CPU seconds, and seconds on the wall."""
    start, before = time.monotonic(), used()
    run(*command, cwd=cwd)
    wall = time.monotonic() - start
    while True:  # what outlived its parent is now ours
        try:
            os.wait()
        except ChildProcessError:
            return used() - before, wall


def used() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def hand_in(course: Path, exercise: str, students: int) -> None:
    """The sample class over and over, none the same as another."""
    released = course / "release" / exercise
    given = (released / f"{exercise}.ipynb").read_text(encoding="utf-8")
    sample = [p for p in sorted(SAMPLE.glob(f"*/{exercise}.py")) if p.parent.name not in LEFT_OUT]
    for number in range(students):
        notebook = json.loads(given)
        answers = [c for c in notebook["cells"] if c["metadata"].get("nbgrader", {}).get("solution")]
        for answer in answers[1:]:
            answer["source"] = ""
        answers[0]["source"] = sample[number % len(sample)].read_text(encoding="utf-8") + f"\n# {number}\n"
        target = course / "submitted" / f"n{number:04}" / exercise
        shutil.copytree(released, target)
        (target / f"{exercise}.ipynb").write_text(json.dumps(notebook), encoding="utf-8")


def scores(course: Path) -> dict[str, float]:
    run("nbgrader", "export", "--to", "grades.csv", cwd=course)
    with (course / "grades.csv").open(newline="", encoding="utf-8") as file:
        return {row["student_id"]: float(row["score"]) for row in csv.DictReader(file)}


def scores_of_grader_grade(course: Path, out: Path, exercise: str) -> dict[str, float]:
    run("grader", "grade", course, "--out", out, "--course", ROOT, "--exercise", exercise)
    students = json.loads((out / "results.json").read_text(encoding="utf-8"))["students"]
    return {student["id"]: float(student["exercises"][0]["points_earned"]) for student in students}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--exercise", default="ctc")
    parser.add_argument("--students", type=int, default=24)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
        sys.exit("This needs Linux.")
    cpu: dict[str, list[float]] = defaultdict(list)
    wall: dict[str, list[float]] = defaultdict(list)
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        course = Path(folder, "course")
        run("grader", "nbgrader-course", course, "--course", ROOT, "--exercise", options.exercise)
        run("nbgrader", "generate_assignment", options.exercise, cwd=course)
        hand_in(course, options.exercise, options.students)
        for number in range(options.runs):
            for way, (old, new) in WAYS.items():
                copy = Path(shutil.copytree(course, Path(folder, f"{number} {way}")))
                config = copy / "nbgrader_config.py"
                text = config.read_text(encoding="utf-8")
                assert old in text
                config.write_text(text.replace(old, new), encoding="utf-8")
                spent = measure("nbgrader", "autograde", options.exercise, cwd=copy)
                for seconds, kept in zip(spent, (cpu, wall), strict=True):
                    kept[way].append(seconds / options.students)
                if way != OWN:
                    found[way] = scores(copy)
        found["grader grade"] = scores_of_grader_grade(course, Path(folder, "results"), options.exercise)
    stock, own = (statistics.median(cpu[way]) for way in (STOCK, OWN))
    agree = sum(len({scores[student] for scores in found.values()}) == 1 for student in found[STOCK])
    print(f"{options.exercise}: {options.students} notebooks in a run, medians of {options.runs} runs")
    print(f"{'per notebook':34}{'CPU s':>10}{'wall s':>10}{'ratio':>8}{'judging alone':>15}")
    for way in WAYS:
        median = statistics.median(cpu[way])
        alone = "" if way == OWN else f"{(stock - own) / (median - own):15.1f}"
        print(f"{way:34}{median:10.3f}{statistics.median(wall[way]):10.3f}{stock / median:8.1f}{alone}")
    print(f"The same points with both and with grader grade: {agree} of {options.students} students.")


if __name__ == "__main__":
    main()
