"""CPU seconds per submission: confined grading against one plain pytest process per submission.

    python benchmarks/throughput.py [--submissions 200] [--baseline 10] [--jobs 1]

Both grade the sample class, repeated with small differences, with the same suites and the same number of jobs: all
exercises but those that train a model. Ours includes the start-up, and is measured without and with the search for
known mistakes, which a plain pytest does not make. The baseline runs one process per file that was handed in, and again
one per student for all exercises together; it is measured on the first students, because it takes an hour otherwise.

It needs Linux, and is best run as root: then only the two are counted, and not what else runs (measuring.py). How we
compare with other tools, on one exercise, is in peers.py.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from measuring import Cost, Meter, measure

from grader.course import find_course

ROOT = Path(__file__).resolve().parent.parent
HIDDEN = ROOT / "tests" / "hidden"
SAMPLE = ROOT / "data" / "sample_class"
LIMIT = 7200.0  # seconds for a whole run
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


def run_plain(meter: Meter, submission: Path, exercises: Sequence[str], log: Path) -> None:
    """One pytest process for these exercises of one student."""
    suites = [str(path) for name in exercises for path in (ROOT / "exercises" / name, HIDDEN / f"test_{name}.py")]
    options = ["-q", "-p", "no:cacheprovider", f"--grader-submission={submission}"]
    command = [sys.executable, "-m", "pytest", *options, *suites]
    meter.run(command, cwd=ROOT, limit=LIMIT, env={"OMP_NUM_THREADS": "1"}, log=log)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--submissions", type=int, default=200)
    parser.add_argument("--baseline", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    names = [exercise.name for exercise in find_course(ROOT).exercises if not exercise.builds_on]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        submissions = make_class(folder / "class", options.submissions)
        some = submissions[: options.baseline]
        graded = [(path, [name]) for path in submissions for name in names if (path / f"{name}.py").is_file()]
        handed_in = [work for work in graded if work[0] in some]

        log = folder / "log.txt"

        def plain(works: Sequence[tuple[Path, Sequence[str]]]) -> Cost:
            with measure() as meter:
                for submission, exercises in works:
                    run_plain(meter, submission, exercises, log)
            return meter.cost

        def grade(*how: str, students: str = "class") -> Cost:
            out = folder / f"out {students} {' '.join(how)}"
            command = [
                sys.executable, "-m", "grader", "grade", str(folder / students), "--out", str(out), *how,
                "--course", str(ROOT), "--jobs", str(options.jobs), *(f"--exercise={name}" for name in names),
            ]  # fmt: skip
            with measure() as meter:
                done = meter.run(command, cwd=ROOT, limit=LIMIT, log=log)
            if done.status:
                sys.exit(done.output)
            return meter.cost

        each = plain(handed_in)
        whole = plain([(path, names) for path in some])
        ours = {"the same tests": grade("--no-diagnosis"), "with diagnoses": grade()}
        make_class(folder / "half", options.submissions // 2)
        half = grade("--no-diagnosis", students="half")
        level = json.loads((folder / "out class " / "results.json").read_text(encoding="utf-8"))["confinement"]["level"]
    print(f"{options.submissions} students, {len(graded)} files, {len(names)} exercises, {options.jobs} jobs, {level}")
    print(f"{'':44}{'CPU s':>10}{'wall s':>10}{'ratio':>8}")
    for label, theirs, count, total in (
        ("per file: one pytest process each", each, len(handed_in), len(graded)),
        ("per student: one pytest process each", whole, len(some), options.submissions),
    ):
        print(f"{label:44}{theirs.cpu / count:10.3f}{theirs.wall / count:10.3f}")
        for what, own in ours.items():
            row = f"  grader grade, confined, {what}"
            ratio = theirs.cpu / count / (own.cpu / total)
            print(f"{row:44}{own.cpu / total:10.3f}{own.wall / total:10.3f}{ratio:8.1f}")
    # Where the time of ours goes: what a run costs once, and what each student adds.
    each_more = (ours["the same tests"].cpu - half.cpu) / (options.submissions - options.submissions // 2)
    diagnosis = (ours["with diagnoses"].cpu - ours["the same tests"].cpu) / options.submissions
    once = ours["the same tests"].cpu - each_more * options.submissions
    print(f"Ours: {once:.1f} CPU s once, {each_more:.3f} for each student more, {diagnosis:.3f} of diagnosis for each.")
    print(f"CPU seconds are those of the {each.counted}.")


if __name__ == "__main__":
    main()
