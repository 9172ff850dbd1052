"""CPU seconds per submission: confined grading against one plain pytest process per submission.

    python benchmarks/throughput.py [--submissions 200] [--baseline 12] [--jobs 2]

Both grade the sample class, repeated with small differences, with the same suites and the same number of jobs. The
baseline is measured on a part of the class, spread over all students, because it takes minutes otherwise.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
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


def cpu_of_children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run_plain(submission: Path) -> None:
    suites = [str(ROOT / "exercises"), str(ROOT / "tests/hidden")]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *suites, f"--submission={submission}"]
    subprocess.run(command, cwd=ROOT, capture_output=True, check=False)  # noqa: S603


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--submissions", type=int, default=200)
    parser.add_argument("--baseline", type=int, default=12)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        submissions = make_class(folder / "class", options.submissions)

        start, before = time.monotonic(), cpu_of_children()
        with ThreadPoolExecutor(options.jobs) as pool:
            list(pool.map(run_plain, submissions[: options.baseline]))
        plain = (cpu_of_children() - before) / options.baseline
        plain_wall = (time.monotonic() - start) / options.baseline

        start, before = time.monotonic(), cpu_of_children()
        subprocess.run(  # noqa: S603
            [sys.executable, "-m", "grader", "grade", str(folder / "class"), "--out", str(folder / "out"),
             "--course", str(ROOT), "--jobs", str(options.jobs)],
            check=True, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        confined = (cpu_of_children() - before) / options.submissions
        confined_wall = (time.monotonic() - start) / options.submissions
        level = json.loads((folder / "out/results.json").read_text(encoding="utf-8"))["confinement"]["level"]
    print(f"{options.submissions} submissions of two exercises, {options.jobs} jobs, confinement: {level}")
    print(f"{'':28}{'CPU s':>10}{'wall s':>10}   per submission")
    print(f"{'one pytest process each':28}{plain:10.3f}{plain_wall:10.3f}")
    print(f"{'grader grade, confined':28}{confined:10.3f}{confined_wall:10.3f}   start-up included")
    print(f"ratio of CPU seconds: {plain / confined:.1f}")


if __name__ == "__main__":
    main()
