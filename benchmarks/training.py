"""The training criteria over many seeds: how wide is the margin of the reference?

    python benchmarks/training.py [seq2seq] [transformer] [--seeds 6]

Trains the solution as the hidden suites do, on one thread, and prints a row of docs/training.md for each seed.
"""

from __future__ import annotations

import argparse
import importlib.util
import random
import sys
import time
import types
from collections.abc import Iterator
from pathlib import Path

import torch

from grader.course import find_course
from grader.judge.suite.student import Session, Student
from grader.judge.transports.inprocess import InProcessTransport, read_files

ROOT = Path(__file__).resolve().parent.parent
COURSE = find_course(ROOT)
sys.path.insert(0, str(ROOT))  # suites draw from the folder data


def suite_of(name: str) -> types.ModuleType:
    spec = importlib.util.spec_from_file_location(f"hidden_{name}", COURSE.hidden_suite(COURSE.exercise(name)))
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def student_of(name: str, seed: int) -> Student:
    exercise = COURSE.exercise(name)
    files = {other: ROOT / "solutions" / f"{other}.py" for other in (name, *exercise.builds_on)}
    return Student(Session(InProcessTransport(exercise, read_files(files))), seed)


def scores(name: str, task: str, seed: int) -> tuple[float, float]:
    """(exact matches, errors per symbol) on unseen pairs, as the hidden criterion has it."""
    suite, student, rng = suite_of(name), student_of(name, seed), random.Random(seed)
    torch.manual_seed(seed)
    pairs = suite.digits_to_learn(rng) if task == "digits" else suite.dates_to_learn(rng)
    if name == "seq2seq":
        return suite.train_and_score(student, rng, pairs)
    settings = {"epochs": 8, "batch_size": 64, "seed": rng.randrange(1000)}
    return suite.learned(student, pairs[200:], pairs[:200], suite.SMALL, **settings)


def rows(name: str, seeds: int) -> Iterator[str]:
    for task in ("digits", "dates"):
        for seed in range(1, seeds + 1):
            start = time.process_time()
            exact, errors = scores(name, task, seed)
            seconds = time.process_time() - start
            yield f"| {name} | {task} | {seed} | {exact:.1%} | {errors:.2%} | {seconds:.1f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("exercises", nargs="*", default=["seq2seq", "transformer"])
    parser.add_argument("--seeds", type=int, default=6)
    options = parser.parse_args()
    torch.set_num_threads(1)
    print("| exercise | task | seed | exact | errors | CPU s |\n|---|---|---|---|---|---|")
    for name in options.exercises:
        for row in rows(name, options.seeds):
            print(row, flush=True)


if __name__ == "__main__":
    main()
