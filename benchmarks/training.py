"""The training criteria over many seeds: how wide is the margin of right code, and what does it cost?

    python benchmarks/training.py [seq2seq] [transformer] [--seeds 10] [--variants]

Trains the solution as the hidden suites do, or the right variants in other styles, on one thread. Prints a row for each
task and seed, and the worst of them: what docs/training.md has.
"""

from __future__ import annotations

import argparse
import importlib.util
import itertools
import random
import sys
import time
import types
from collections.abc import Iterator, Sequence
from pathlib import Path

import torch

from grader.course import find_course
from grader.judge.suite.student import Session, Student
from grader.judge.transports.inprocess import InProcessTransport, read_files

ROOT = Path(__file__).resolve().parent.parent
COURSE = find_course(ROOT)
TASKS = ("digits", "dates")
HEAD = "| exercise | task | file | seed | exact | errors | steps | CPU s |\n|---|---|---|---|---|---|---|---|"
sys.path.insert(0, str(ROOT))  # suites draw from the folder data


def suite_of(name: str) -> types.ModuleType:
    spec = importlib.util.spec_from_file_location(f"hidden_{name}", COURSE.hidden_suite(COURSE.exercise(name)))
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def student_of(name: str, file: Path, seed: int) -> Student:
    exercise = COURSE.exercise(name)
    files = {other: ROOT / "solutions" / f"{other}.py" for other in exercise.builds_on}
    return Student(Session(InProcessTransport(exercise, read_files({**files, name: file}))), seed)


def rows(name: str, files: Sequence[Path], seeds: int) -> Iterator[str]:
    """What the model of each file learns, and what that costs, as the hidden criteria have it."""
    suite = suite_of(name)
    for task, file in itertools.product(TASKS, files):
        every = []
        for seed in range(1, seeds + 1):
            start = time.process_time()
            torch.manual_seed(seed)
            found = getattr(suite, f"learn_{task}")(student_of(name, file, seed), random.Random(seed))
            every.append((found.exact, found.errors, found.steps, time.process_time() - start))
            yield row(name, task, file.stem, str(seed), *every[-1])
        exact, *others = zip(*every, strict=True)
        yield row(name, task, file.stem, "worst", min(exact), *map(max, others))


def row(name: str, task: str, file: str, seed: str, exact: float, errors: float, steps: int, seconds: float) -> str:
    return f"| {name} | {task} | {file} | {seed} | {exact:.0%} | {errors:.2%} | {steps} | {seconds:.1f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("exercises", nargs="*", default=["seq2seq", "transformer"])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--variants", action="store_true", help="the right variants, not the solution")
    options = parser.parse_args()
    torch.set_num_threads(1)
    print(HEAD)
    for name in options.exercises:
        exercise = COURSE.exercise(name)
        files = sorted(COURSE.variants(exercise)) if options.variants else [COURSE.solution(exercise)]
        for line in rows(name, files, options.seeds):
            print(line, flush=True)


if __name__ == "__main__":
    main()
