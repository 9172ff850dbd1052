"""CPU seconds per submission: confined grading against one plain pytest process per submission.

    python benchmarks/throughput.py [--submissions 200] [--baseline 10] [--jobs 2]

Both grade the sample class, repeated with small differences, with the same suites and the same number of jobs: all
exercises but those that train a model. Ours includes the start-up, and is measured without and with the search for
known mistakes, which a plain pytest does not make. The baseline runs one process per file that was handed in, and again
one per student for all exercises together; it is measured on the first students, because it takes an hour otherwise.

Run it on Linux while nothing else runs: CPU seconds are those of the whole machine.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from grader.course import find_course

ROOT = Path(__file__).resolve().parent.parent
HIDDEN = ROOT / "tests" / "hidden"
SAMPLE = ROOT / "data" / "sample_class"
LOOPS = ("s08", "s11")  # endless loops and exponential recursion measure the budgets, not the machinery


def make_class(folder: Path, size: int) -> list[Path]:
    """``size`` submissions, none the same as another."""
    students = [path for path in sorted(SAMPLE.iterdir()) if path.is_dir() and path.name not in LOOPS]
    made = []
    for number in range(size):
        target = folder / f"n{number:04}"
        shutil.copytree(students[number % len(students)], target)
        for file in target.glob("*.py"):
            file.write_text(file.read_text(encoding="utf-8") + f"\n# {number}\n", encoding="utf-8")
        made.append(target)
    return made


def busy() -> float:
    """CPU seconds of the whole machine so far: bubblewrap does not pass on what its children used."""
    user, nice, system, _, _, irq, softirq, *_ = map(int, Path("/proc/stat").read_text().split()[1:9])
    return (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK")


def run_plain(submission: Path, exercises: Sequence[str]) -> None:
    """One pytest process for these exercises of one student."""
    suites = [str(path) for name in exercises for path in (ROOT / "exercises" / name, HIDDEN / f"test_{name}.py")]
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        *suites,
        f"--grader-submission={submission}",
    ]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    subprocess.run(command, cwd=ROOT, capture_output=True, check=False, env=environment)  # noqa: S603


def measure(work: Callable[[], object]) -> tuple[float, float]:
    """CPU seconds, and seconds on the wall."""
    start, before = time.monotonic(), busy()
    work()
    return busy() - before, time.monotonic() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--submissions", type=int, default=200)
    parser.add_argument("--baseline", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    names = [exercise.name for exercise in find_course(ROOT).exercises if not exercise.builds_on]
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(options.jobs) as pool:
        folder = Path(name)
        submissions = make_class(folder / "class", options.submissions)
        some = submissions[: options.baseline]
        graded = [(path, [name]) for path in submissions for name in names if (path / f"{name}.py").is_file()]
        handed_in = [work for work in graded if work[0] in some]

        def grade(*how: str) -> None:
            out = folder / f"out{''.join(how)}"
            command = [
                sys.executable, "-m", "grader", "grade", str(folder / "class"), "--out", str(out), *how,
                "--course", str(ROOT), "--jobs", str(options.jobs), *(f"--exercise={name}" for name in names),
            ]  # fmt: skip
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)  # noqa: S603

        each = measure(lambda: list(pool.map(lambda args: run_plain(*args), handed_in)))
        whole = measure(lambda: list(pool.map(lambda path: run_plain(path, names), some)))
        ours = {"the same tests": measure(lambda: grade("--no-diagnosis")), "with diagnoses": measure(grade)}
        level = json.loads((folder / "out/results.json").read_text(encoding="utf-8"))["confinement"]["level"]
    print(f"{options.submissions} students, {len(graded)} files, {len(names)} exercises, {options.jobs} jobs, {level}")
    print(f"{'':44}{'CPU s':>10}{'wall s':>10}{'ratio':>8}")
    for label, (cpu, wall), count, total in (
        ("per file: one pytest process each", each, len(handed_in), len(graded)),
        ("per student: one pytest process each", whole, len(some), options.submissions),
    ):
        print(f"{label:44}{cpu / count:10.3f}{wall / count:10.3f}")
        for what, (our_cpu, our_wall) in ours.items():
            row = f"  grader grade, confined, {what}"
            print(f"{row:44}{our_cpu / total:10.3f}{our_wall / total:10.3f}{cpu / count / (our_cpu / total):8.1f}")


if __name__ == "__main__":
    main()
