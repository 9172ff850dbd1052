"""What a class costs by its size: time and memory per submission, and where they go.

    python benchmarks/scaling.py [--sizes 100 1000 10000] [--jobs 1] [--repeat] [--json FILE] [--plot FILE.svg]

Grades classes of a small course that is made for it, each in its own process, by the steps of `grader grade`: read,
judge, write the journal, results.json, grades.csv, the page of the class and those of the students; then reads the
results again and exports them. No two submissions are equal, because equal files are judged once; a third of them is
wrong, in several ways. The tests take next to no time, so what is left is the machinery around them.

With `--repeat` only the first submissions are judged, and each later one gets the result of an earlier one of its kind:
so the machinery can be measured for classes that nobody wants to wait for. `--plot` needs matplotlib (extra `train`).

CPU seconds are those of our own process, and for judging also those of judges and workers. Memory is the growth of our
process while it works, without what Python and imports take. Results, as a file, are a part of it.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
from rich.console import Console

from grader.course import Course, find_course
from grader.exports import FORMATS
from grader.exports.base import Options
from grader.exports.csv import grades_csv
from grader.files import write_atomically
from grader.grading.attempts import Attempted
from grader.grading.backends.local import LocalBackend
from grader.grading.run import ClassRun
from grader.grading.settings import Settings
from grader.grading.tasks import Work
from grader.reports import terminal
from grader.reports.write import write_pages
from grader.results import schema
from grader.results.final import finish
from grader.results.gradebook import Gradebook, open_gradebook
from grader.results.records import ExerciseResult
from grader.sandbox.layers import require_layers
from grader.submissions.intake import read_class

EXPORTS = ("csv", "json", "junit", "gradescope")
EXERCISES = ("total", "running")
KINDS = 12  # of submissions, by number
REAL = 5 * KINDS  # so many are judged with --repeat

MANIFEST = """
format = 1
title = "A small course"

[[exercise]]
name = "total"
title = "The sum of a list"
files = ["total.py"]
hidden_criteria = 2

[[exercise]]
name = "running"
title = "Running sums"
files = ["running.py"]
hidden_criteria = 1
"""

SUITES = {
    "exercises/total/test_total.py": '''
from grader.judge import assert_equal, criterion


@criterion("Small sums", points=2, kind="value", hint="Begin with 0, and add each number.")
def test_small(student):
    """The sum of three numbers."""
    assert_equal(student.total([1, 2, 3]), 6, "total([1, 2, 3])")


@criterion("An empty list", points=1, kind="robustness", hint="With nothing to add, what you begin with is left.")
def test_empty(student):
    """The sum of no numbers is zero."""
    assert_equal(student.total([]), 0, "total([])")


@criterion("Negative numbers", points=1, kind="value", hint="A negative number makes the sum smaller.")
def test_negative(student):
    """Negative numbers are numbers, too."""
    assert_equal(student.total([5, -7]), -2, "total([5, -7])")
''',
    "tests/hidden/test_total.py": '''
from grader.judge import assert_equal, criterion


@criterion("Any list", points=2, kind="value", hint="Look at every number once.")
def test_any(student, rng):
    """The sum of a list that nobody knows beforehand."""
    numbers = [rng.randrange(1000) for _ in range(7)]
    assert_equal(student.total(numbers), sum(numbers), "total(numbers)")


@criterion("In any order", points=1, kind="invariance", hint="Every place counts alike.")
def test_order(student):
    """The order of the numbers changes nothing."""
    assert_equal(student.total([3, 1, 2]), student.total([1, 2, 3]), "total([3, 1, 2])")
''',
    "exercises/running/test_running.py": '''
from grader.judge import assert_equal, criterion


@criterion("Three numbers", points=3, kind="value", hint="Keep the sum so far, and write it down after each number.")
def test_three(student):
    """After each number, the sum so far."""
    assert_equal(student.running([1, 2, 3]), [1, 3, 6], "running([1, 2, 3])")


@criterion("As many as before", points=1, kind="shape", hint="One sum for each number.")
def test_length(student):
    """There are as many sums as numbers."""
    assert_equal(len(student.running([4, 4, 4, 4])), 4, "len(running([4, 4, 4, 4]))")
''',
    "tests/hidden/test_running.py": '''
from grader.judge import assert_equal, criterion


@criterion("The last one is the sum", points=1, kind="value", hint="Nothing is left out at the end.")
def test_last(student, rng):
    """The last sum is the sum of all."""
    numbers = [rng.randrange(100) for _ in range(5)]
    assert_equal(student.running(numbers)[-1], sum(numbers), "running(numbers)[-1]")
''',
    "solutions/total.py": '''
def total(numbers):
    """The sum of a list."""
    ### BEGIN SOLUTION
    return sum(numbers)
    ### END SOLUTION
''',
    "solutions/running.py": '''
def running(numbers):
    """The sum so far, after each number."""
    ### BEGIN SOLUTION
    return [sum(numbers[: end + 1]) for end in range(len(numbers))]
    ### END SOLUTION
''',
}

RIGHT = "    return sum(numbers)\n"
WRONG = {  # by kind; the others are right
    "total": {1: "    return sum(numbers) + 1\n", 4: "    return max(numbers)\n", 7: "    raise KeyError('no')\n"},
    "running": {1: "    return numbers\n", 4: "    return [sum(numbers)]\n", 10: "    return numbers[::-1\n"},
}


def make_course(folder: Path) -> Course:
    files = {**SUITES, "course.toml": MANIFEST, "pyproject.toml": ""}
    files["solutions/grading.toml"] = f'format = 2\nsecret = "{7:064x}"\n'
    for name in EXERCISES:
        files[f"exercises/{name}/{name}.py"] = f"def {name}(numbers):\n    raise NotImplementedError\n"
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return find_course(folder)


def make_class(folder: Path, size: int) -> None:
    """``size`` submissions, none the same as another."""
    right = {"total": RIGHT, "running": "    return [sum(numbers[:end + 1]) for end in range(len(numbers))]\n"}
    for number in range(size):
        place = folder / f"s{number:06}"
        place.mkdir(parents=True)
        for name in EXERCISES:
            if name == "total" and number % KINDS == KINDS - 1:
                continue  # not handed in
            body = WRONG[name].get(number % KINDS, right[name])
            (place / f"{name}.py").write_text(f"# {number}\ndef {name}(numbers):\n{body}", encoding="utf-8")


class Clock:
    """CPU seconds of this process by phase, and how far its memory grew until the end of it."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.walls: dict[str, float] = {}  # disks included
        self.peaks: dict[str, int] = {}
        self.base = peak_memory()

    @contextlib.contextmanager
    def phase(self, name: str) -> Iterator[None]:
        before, began = time.process_time(), time.monotonic()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.process_time() - before
        self.walls[name] = self.walls.get(name, 0.0) + time.monotonic() - began
        self.peaks[name] = max(self.peaks.get(name, 0), peak_memory() - self.base)


class MeasuredGradebook(Gradebook):
    """A journal that counts the CPU seconds spent in it; those seconds are taken from the phase around it."""

    def measure(self, clock: Clock, around: str) -> None:
        self.clock, self.around = clock, around

    def find(self, key: str) -> ExerciseResult | None:
        with self._counted():
            return super().find(key)

    def add(self, key: str, student: str, result: ExerciseResult) -> None:
        with self._counted():
            super().add(key, student, result)

    @contextlib.contextmanager
    def _counted(self) -> Iterator[None]:
        before = self.clock.seconds.get("journal", 0.0)
        with self.clock.phase("journal"):
            yield
        spent = self.clock.seconds["journal"] - before
        self.clock.seconds[self.around] = self.clock.seconds.get(self.around, 0.0) - spent


class RepeatingBackend(LocalBackend):
    """Judges the first submissions; later ones get the result of an earlier one of the same kind."""

    def judge(self, works: Sequence[Work]) -> Iterator[tuple[Work, ExerciseResult]]:
        first = [work for work in works if int(work.student[1:]) < REAL]
        known: dict[tuple[str, int], bytes] = {}
        for work, result in super().judge(first):
            known[work.task.exercise, int(work.student[1:]) % KINDS] = msgspec.json.encode(result)
            yield work, result
        for work in works:
            if int(work.student[1:]) >= REAL:
                data = known[work.task.exercise, int(work.student[1:]) % KINDS]
                yield work, msgspec.json.decode(data, type=ExerciseResult)


def peak_memory() -> int:
    """Bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def cpu_below(pid: int) -> float:
    """CPU seconds of all processes below this one, with those that they have waited for."""
    parents: dict[int, list[tuple[int, float]]] = {}
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
            ticks = sum(map(int, fields[11:15]))
            parents.setdefault(int(fields[1]), []).append((int(entry.name), ticks / os.sysconf("SC_CLK_TCK")))
    waiting, total = [pid], 0.0
    while waiting:
        for child, seconds in parents.get(waiting.pop(), []):
            total += seconds
            waiting.append(child)
    return total


def run_one(size: int, jobs: int, repeat: bool) -> dict[str, Any]:
    """All phases for one class."""
    with tempfile.TemporaryDirectory(prefix="grader-scaling-") as name:
        folder = Path(name)
        course = make_course(folder / "course")
        make_class(folder / "class", size)
        out = folder / "out"
        settings = Settings(
            course=course, exercises=course.exercises, seed=course.secret, jobs=jobs, layers=require_layers()
        )  # fmt: skip
        clock, began = Clock(), time.monotonic()
        with clock.phase("read"):
            intake = read_class(folder / "class", course)
            attempted = Attempted(intake.submissions)
        judging, walls = 0.0, time.monotonic()
        with open_gradebook(out) as plain, clock.phase("judge"):
            gradebook = MeasuredGradebook(plain.database, plain.path)
            gradebook.measure(clock, "judge")
            backend = (RepeatingBackend if repeat else LocalBackend)(settings)
            with backend:
                run = ClassRun(settings, attempted.submissions, gradebook, backend)
                run.judge_short(lambda work: None)
                run.judge_long(lambda work: None)
                judging = cpu_below(os.getpid())
        wall = time.monotonic() - walls
        with clock.phase("results.json"):
            results = attempted.results(course, run.students(), settings.confinement, provisional=False)
            write_atomically(out / schema.FILE_NAME, schema.results_json(results))
            final = finish(results, out, course)
        with clock.phase("table"), (folder / "table").open("w") as file:
            terminal.print_class(Console(file=file, width=100), final)
            write_atomically(out / "grades.csv", grades_csv(final))
        with clock.phase("pages"):
            write_pages(final, out)
        size_of_results = (out / schema.FILE_NAME).stat().st_size
        del results, final, run, attempted, intake
        with clock.phase("read results"):
            results = finish(schema.load_results(out), out, course)
        for export in EXPORTS:
            with clock.phase(f"export {export}"):
                export_to(folder / export, export, results)
    return {
        "submissions": size,
        "judged": "the first ones" if repeat else "all",
        "jobs": jobs,
        "seconds": clock.seconds,
        "judge_seconds": judging,
        "judge_wall_seconds": wall,
        "wall_seconds": time.monotonic() - began,
        "peak_bytes": peak_memory() - clock.base,
        "walls": clock.walls,
        "peaks": clock.peaks,
        "results_bytes": size_of_results,
    }


def export_to(place: Path, name: str, results: schema.Results) -> None:
    report = FORMATS[name].export(results, Options(out=place))
    for file, content in report.files.items():
        path = place / file if file else place
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, content)


def table(found: Sequence[dict[str, Any]]) -> str:
    """Per submission, in milliseconds and kilobytes; the last column compares the last two classes."""
    rows: list[tuple[str, list[float]]] = []
    for phase in found[0]["seconds"]:
        rows.append((f"{phase}, CPU ms", [1000 * one["seconds"][phase] / one["submissions"] for one in found]))
    machinery = [1000 * sum(one["seconds"].values()) / one["submissions"] for one in found]
    rows += [
        ("all of the coordinator, CPU ms", machinery),
        ("judges and workers, CPU ms", [1000 * one["judge_seconds"] / one["submissions"] for one in found]),
        ("memory at its peak, kB", [one["peak_bytes"] / 1000 / one["submissions"] for one in found]),
        ("results.json, kB", [one["results_bytes"] / 1000 / one["submissions"] for one in found]),
    ]
    lines = [f"{'per submission':32}" + "".join(f"{one['submissions']:>10,}" for one in found) + f"{'growth':>9}"]
    for label, values in rows:
        growth = f"{values[-1] / values[-2]:9.2f}" if len(values) > 1 and values[-2] > 0 else ""
        lines.append(f"{label:32}" + "".join(f"{value:10.3f}" for value in values) + growth)
    return "\n".join(lines)


def plot(found: Sequence[dict[str, Any]], path: Path) -> None:
    import matplotlib as mpl

    mpl.use("svg")
    import matplotlib.pyplot as plt

    plt.rcParams |= {"svg.hashsalt": "scaling", "font.size": 9, "axes.titlesize": 10}
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.0, 4.2), layout="constrained")
    sizes = [f"{one['submissions']:,}" for one in found]
    groups = {
        "read": ["read"], "hand out": ["judge"], "journal": ["journal"],
        "results.json": ["results.json", "read results"], "table": ["table"], "pages": ["pages"],
        f"{len(EXPORTS)} exports": [f"export {name}" for name in EXPORTS],
    }  # fmt: skip
    bottom = [0.0] * len(found)
    for label, phases in groups.items():
        values = [1000 * sum(one["seconds"][phase] for phase in phases) / one["submissions"] for one in found]
        left.bar(sizes, values, bottom=bottom, width=0.6, label=label)
        bottom = [low + value for low, value in zip(bottom, values, strict=True)]
    left.set_title("CPU of the coordinator, ms per submission")
    left.set_xlabel("submissions")
    left.legend(fontsize=8)
    right.bar(sizes, [one["peak_bytes"] / 1000 / one["submissions"] for one in found], width=0.6, label="at its peak")
    right.bar(
        sizes, [one["results_bytes"] / 1000 / one["submissions"] for one in found], width=0.3, label="results.json"
    )
    right.set_title("Memory of the coordinator, kB per submission")
    right.set_xlabel("submissions")
    right.legend(fontsize=8)
    figure.savefig(path, metadata={"Date": None, "Creator": None})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 1_000, 10_000])
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--repeat", action="store_true", help="judge only the first submissions")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--plot", type=Path)
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)  # this process is one of ours
    options = parser.parse_args()
    if options.one:
        print(json.dumps(run_one(options.one, options.jobs, options.repeat)))
        return
    how = ["--jobs", str(options.jobs), *(["--repeat"] if options.repeat else [])]
    found = []
    for size in options.sizes:
        command = [sys.executable, __file__, "--one", str(size), *how]
        done = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603
        found.append(json.loads(done.stdout.splitlines()[-1]))
        print(f"{size:,}: {found[-1]['wall_seconds']:.0f} s", file=sys.stderr)
        if options.json:
            options.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(table(found))
    if options.plot:
        plot(found, options.plot)


if __name__ == "__main__":
    main()
