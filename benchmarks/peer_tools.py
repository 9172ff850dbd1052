"""The tools of ``peers.py``: how each is installed, given the checks, run, and asked for the points.

Each adapter does what the tool's documentation shows, with the limit for a single test that it documents. A tool that
has none is stopped by us after ``GUARD`` times that limit, and the table says that it hung.
"""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from dataclasses import dataclass, field
from pathlib import Path

from measuring import Done, Meter
from peer_class import CHECKS, EXERCISE, FULL, HEADER, NAMES, source_of

from grader.authoring.stubs import write_stub
from grader.course import Course, load_course

GUARD = 12  # times the limit: so long a single submission may take
THREADS = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "MKL", "OPENBLAS")}
SHARED = ("torch", "numpy")  # the checks need them; installed once, and seen by every environment

Points = dict[str, float | None]  # by submission; None where the tool gives none


class NotHereError(Exception):
    """A tool that cannot be installed or run here, with the reason that was found."""


def install(folder: Path, packages: tuple[str, ...], constraints: Path, shared: Path | None) -> Path:
    """A virtual environment with these packages; its Python. What is there already is used again."""
    python = folder / "bin" / "python"
    wanted = "\n".join((*packages, constraints.read_text(encoding="utf-8")))
    note = folder / "installed.txt"
    if not (note.is_file() and note.read_text(encoding="utf-8") == wanted):
        command = [python, "-m", "pip", "install", "-q", "-c", constraints, *packages]
        for words in ([sys.executable, "-m", "venv", "--clear", folder], command):
            done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)  # noqa: S603
            if done.returncode:
                said = [line for line in (done.stdout + done.stderr).splitlines() if line.startswith("ERROR")]
                raise NotHereError(f"cannot be installed: {said[-1] if said else done.stderr[-200:]}")
        note.write_text(wanted, encoding="utf-8")
    if shared is not None:
        packages_of = next((shared / "lib").glob("python*/site-packages"))
        own = next((folder / "lib").glob("python*/site-packages"))
        (own / "shared.pth").write_text(f"{packages_of}\n", encoding="utf-8")
    return python


def version_of(python: Path, package: str) -> str:
    code = f"from importlib.metadata import version; print(version({package!r}))"
    done = subprocess.run([str(python), "-c", code], capture_output=True, text=True, check=False)  # noqa: S603
    return done.stdout.strip()


@dataclass
class Tool:
    """One way to grade; ``folder`` is where it works."""

    python: Path
    folder: Path
    course: Course
    seconds: int  # for one check, in every tool that has such a limit
    hung: set[str] = field(default_factory=set)
    said: str = ""  # the end of what it printed last

    name = ""
    packages: tuple[str, ...] = ()
    at_once = False  # whether one run grades them all, and so pays its start once
    limit = "as --limit says, for a check"  # what it documents for a test that does not end

    def prepare(self) -> None:
        """Write what does not depend on a submission."""

    def grade(self, meter: Meter, submissions: Path) -> Points:
        """Grade each in a process of its own."""
        return {path.name: self.grade_one(meter, path) for path in sorted(submissions.iterdir())}

    def grade_one(self, meter: Meter, submission: Path) -> float | None:
        """Run the tool on a copy of one submission; None if it leaves no points."""
        work = self.folder / "work"
        shutil.rmtree(work, ignore_errors=True)
        shutil.copytree(self.folder / "given", work)
        shutil.copy(submission / f"{EXERCISE}.py", work)
        done = self.run(meter, self.command(), work)
        if done.status is None:
            self.hung.add(submission.name)
        try:
            return self.points(work)
        except (OSError, ValueError, KeyError, ET.ParseError):
            return None

    def command(self) -> list[str]:
        raise NotImplementedError

    def points(self, work: Path) -> float:
        raise NotImplementedError

    def run(self, meter: Meter, command: list[str], cwd: Path, guard: int = GUARD) -> Done:
        path = f"{self.python.parent}{os.pathsep}{os.environ['PATH']}"
        environment = {**THREADS, "PATH": path, "PYTHONDONTWRITEBYTECODE": "1", "HOME": str(self.folder)}
        done = meter.run(command, cwd=cwd, limit=guard * self.seconds, env=environment, log=self.folder / "log.txt")
        self.said = done.output[-2000:]
        return done

    def give(self, name: str, text: str) -> None:
        path = self.folder / "given" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def versions(self) -> dict[str, str]:
        return {package: version_of(self.python, package) for package in self.packages}


class Ours(Tool):
    name = "grader grade"
    at_once = True

    def prepare(self) -> None:
        """A course of its own, with one exercise and the checks as its hidden suite."""
        exercise = self.course.exercise(EXERCISE)
        root = self.folder / "course"
        table = f'[[exercise]]\nname = "{EXERCISE}"\ntitle = "Attention"\nfiles = ["{EXERCISE}.py"]\n'
        limits = f"hidden_criteria = {FULL}\nbudget = {GUARD * self.seconds}\n"
        tests = [
            f'@criterion("{name}", points=1, kind="value", hint="Read the handout.", timeout={self.seconds})\n'
            f'def test_{name.removeprefix("check_")}(student):\n    """It computes what was asked for."""\n'
            f"    {name}(student)\n"
            for name in NAMES
        ]
        files = {
            "course.toml": f'format = 1\ntitle = "Peers"\n\n{table}{limits}',
            f"solutions/{EXERCISE}.py": self.course.solution(exercise).read_text(encoding="utf-8"),
            f"exercises/{EXERCISE}/test_{EXERCISE}.py": "",
            f"tests/hidden/test_{EXERCISE}.py": "\n\n".join(
                ["from grader.judge import criterion\n" + HEADER, CHECKS.strip() + "\n", *tests]
            ),
        }
        for name, text in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        own = load_course(root / "course.toml")
        write_stub(own, own.exercise(EXERCISE))

    def grade(self, meter: Meter, submissions: Path) -> Points:
        out = self.folder / "out"
        shutil.rmtree(out, ignore_errors=True)
        command = [
            str(self.python), "-m", "grader", "grade", str(submissions), "--out", str(out),
            "--course", str(self.folder / "course"), "--jobs", "1",
        ]  # fmt: skip
        done = self.run(meter, command, self.folder, 10 * GUARD)
        if done.status is None:
            self.hung.add("run")
        document = json.loads((out / "results.json").read_text(encoding="utf-8"))
        self.level = str(document["confinement"]["level"])
        return {student["id"]: student["exercises"][0]["points_earned"] for student in document["students"]}

    def versions(self) -> dict[str, str]:
        return {"grader": version_of(self.python, "grader"), "confinement": self.level}


class PlainPytest(Tool):
    name = "pytest"
    packages = ("pytest", "pytest-timeout")

    def prepare(self) -> None:
        tests = [f"def test_{name.removeprefix('check_')}():\n    {name}({EXERCISE})\n" for name in NAMES]
        self.give("checks.py", HEADER + CHECKS)
        self.give("test_checks.py", "\n\n".join([f"from checks import *\nimport {EXERCISE}\n", *tests]))

    def command(self) -> list[str]:
        options = ["-q", "-p", "no:cacheprovider", f"--timeout={self.seconds}", "--junitxml=report.xml"]
        return [str(self.python), "-m", "pytest", *options, "test_checks.py"]

    def points(self, work: Path) -> float:
        cases = ET.parse(work / "report.xml").iter("testcase")  # noqa: S314  # what the tool itself writes
        return sum(not len(case) for case in cases)


class Gradescope(Tool):
    name = "gradescope-utils"
    packages = ("gradescope-utils",)
    limit = "none; the platform ends the container"

    def prepare(self) -> None:
        methods = [
            f"    @weight(1)\n    def test_{name.removeprefix('check_')}(self):\n        {name}({EXERCISE})\n"
            for name in NAMES
        ]
        imports = (
            "import unittest\n\nfrom gradescope_utils.autograder_utils.decorators import weight\n\n"
            f"from checks import *\nimport {EXERCISE}\n\n\nclass TestChecks(unittest.TestCase):\n"
        )
        self.give("checks.py", HEADER + CHECKS)
        self.give("tests/test_checks.py", imports + "\n".join(methods))
        self.give(
            "run_tests.py",
            "import unittest\n\nfrom gradescope_utils.autograder_utils.json_test_runner import JSONTestRunner\n\n"
            'if __name__ == "__main__":\n    suite = unittest.defaultTestLoader.discover("tests")\n'
            '    with open("results.json", "w") as file:\n        JSONTestRunner(stream=file).run(suite)\n',
        )

    def command(self) -> list[str]:
        return [str(self.python), "run_tests.py"]

    def points(self, work: Path) -> float:
        found = json.loads((work / "results.json").read_text(encoding="utf-8"))
        return float(sum(test.get("score") or 0 for test in found["tests"]))


class Otter(Tool):
    name = "otter run"
    packages = ("otter-grader", "ipykernel")  # it starts a kernel, and brings none
    limit = "none; only its containers have one"

    def prepare(self) -> None:
        """``otter generate`` makes the zip; submissions are scripts, which it takes as it takes notebooks."""
        tests = self.folder / "tests"
        tests.mkdir(parents=True)
        for name in NAMES:
            head = f'OK_FORMAT = False\nname = "{name}"\npoints = 1\n\n{HEADER}\n\n{source_of(name)}\n\n'
            imports = "from types import SimpleNamespace\n\nfrom otter.test_files import test_case\n\n\n"
            body = f"@test_case(points=1)\ndef test_it(env):\n    {name}(SimpleNamespace(**env))\n"
            (tests / f"{name}.py").write_text(head + imports + body, encoding="utf-8")
        zipped = self.folder / "given" / "autograder.zip"
        zipped.parent.mkdir()
        command = [str(self.python.parent / "otter"), "generate", "-t", str(tests), "-o", str(zipped)]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False)  # noqa: S603
        if done.returncode or not zipped.is_file():
            raise NotHereError(f"otter generate: {(done.stderr.strip().splitlines() or ['no zip'])[-1]}")

    def command(self) -> list[str]:
        return [str(self.python.parent / "otter"), "run", f"{EXERCISE}.py", "-a", "autograder.zip", "--no-logo"]

    def points(self, work: Path) -> float:
        found = json.loads((work / "results.json").read_text(encoding="utf-8"))
        return float(sum(test.get("score") or 0 for test in found["tests"]))


class Check50(Tool):
    name = "check50"
    packages = ("check50",)

    def prepare(self) -> None:
        checks = [
            f"@check50.check(timeout={self.seconds})\ndef {name.removeprefix('check_')}():\n"
            f'    """{name}"""\n    try:\n        {name}(check50.py.import_("{EXERCISE}.py"))\n'
            f"    except AssertionError as error:\n        raise check50.Failure(str(error))\n"
            for name in NAMES
        ]
        folder = self.folder / "checks"
        folder.mkdir(parents=True)
        (folder / ".cs50.yaml").write_text("check50:\n  checks: __init__.py\n", encoding="utf-8")
        head = f"import check50\nimport check50.py\n{HEADER}{CHECKS}\n\n"
        (folder / "__init__.py").write_text(head + "\n\n".join(checks), encoding="utf-8")
        (self.folder / "given").mkdir()

    def command(self) -> list[str]:
        slug = str(self.folder / "checks")
        return [str(self.python.parent / "check50"), "--dev", slug, "-o", "json", "--output-file", "report.json"]

    def points(self, work: Path) -> float:
        found = json.loads((work / "report.json").read_text(encoding="utf-8"))
        return float(sum(result["passed"] is True for result in found["results"]))


class Nbgrader(Tool):
    name = "nbgrader autograde"
    at_once = True
    packages = ("nbgrader",)
    limit = "30 s for a cell, as it is installed"

    def prepare(self) -> None:
        """A course, whose source notebook ``nbgrader generate_assignment`` releases."""
        self.course_folder = self.folder / "course"
        source = self.course_folder / "source" / EXERCISE
        source.mkdir(parents=True)
        config = 'c = get_config()\nc.CourseDirectory.course_id = "peers"\n'
        (self.course_folder / "nbgrader_config.py").write_text(config, encoding="utf-8")
        solution = "### BEGIN SOLUTION\nraise SystemExit\n### END SOLUTION"
        cells = [_cell("answer", solution, solution=True), _cell("header", f"import sys\n{HEADER}", locked=True)]
        for name in NAMES:
            test = f"{source_of(name)}\n\n\n{name}(sys.modules['__main__'])"
            cells.append(_cell(name, test, locked=True, grade=True, points=1))
        kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
        notebook = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
        (source / f"{EXERCISE}.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
        done = self.run(Meter(), self.nbgrader("generate_assignment", EXERCISE), self.course_folder)
        self.released = self.course_folder / "release" / EXERCISE / f"{EXERCISE}.ipynb"
        if not self.released.is_file():
            raise NotHereError(f"nbgrader generate_assignment: {(done.output.strip().splitlines() or ['nothing'])[-1]}")

    def nbgrader(self, *words: str) -> list[str]:
        return [str(self.python), "-m", "nbgrader", *words]

    def grade(self, meter: Meter, submissions: Path) -> Points:
        work = self.folder / "work"
        shutil.rmtree(work, ignore_errors=True)
        shutil.copytree(self.course_folder, work)
        released = self.released.read_text(encoding="utf-8")
        for path in sorted(submissions.iterdir()):
            notebook = json.loads(released)
            answer = next(cell for cell in notebook["cells"] if cell["metadata"]["nbgrader"]["solution"])
            answer["source"] = (path / f"{EXERCISE}.py").read_text(encoding="utf-8")
            target = work / "submitted" / path.name / EXERCISE / f"{EXERCISE}.ipynb"
            target.parent.mkdir(parents=True)
            target.write_text(json.dumps(notebook), encoding="utf-8")
        done = self.run(meter, self.nbgrader("autograde", EXERCISE), work, 10 * GUARD)
        if done.status is None:
            self.hung.add("run")
        self.run(Meter(), self.nbgrader("export", "--to", "grades.csv"), work)
        found: Points = dict.fromkeys(path.name for path in submissions.iterdir())
        with (work / "grades.csv").open(newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                if (work / "autograded" / row["student_id"] / EXERCISE / f"{EXERCISE}.ipynb").is_file():
                    found[row["student_id"]] = float(row["score"])
        return found


def _cell(name: str, source: str, *, solution: bool = False, locked: bool = False, grade: bool = False,
          points: int = 0) -> dict[str, object]:  # fmt: skip
    """A code cell with nbgrader's metadata."""
    meta: dict[str, object] = {"schema_version": 3, "grade_id": name, "task": False}
    meta |= {"solution": solution, "locked": locked, "grade": grade}
    meta |= {"points": points} if grade else {}
    return {
        "cell_type": "code", "id": name.replace("_", "-")[:64], "execution_count": None, "outputs": [],
        "source": source, "metadata": {"nbgrader": meta},
    }  # fmt: skip


TOOLS: tuple[type[Tool], ...] = (Ours, PlainPytest, Gradescope, Nbgrader, Otter, Check50)
