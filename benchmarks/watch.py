"""From a save to the verdict, as a ratio to a cold pytest in the same run: ``python benchmarks/watch.py [EXERCISE]``.

Works on a copy of the course in a temporary folder, with the solution as the student's file.
"""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import watchfiles

from grader.course import find_course
from grader.student.watch import DEBOUNCE, STEP
from grader.student.watch_runner import Runner

RUNS = 7


def main(name: str) -> None:
    origin = find_course(Path(__file__).parent)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "course"
        root.mkdir()
        for part in ("exercises", "data", "solutions"):
            shutil.copytree(origin.root / part, root / part)
        shutil.copy(origin.manifest, root)
        (root / "pyproject.toml").touch()
        course = find_course(root)
        exercise = course.exercise(name)
        for needed in (*exercise.builds_on, name):
            shutil.copy(course.solution(course.exercise(needed)), course.module(course.exercise(needed)))
        cold = []
        for _ in range(3):
            start = time.perf_counter()
            command = [sys.executable, "-m", "pytest", "-q", str(course.public_suite(exercise))]
            subprocess.run(command, cwd=root, stdout=subprocess.DEVNULL, check=True)  # noqa: S603  # our own
            cold.append(time.perf_counter() - start)
        warm = measure(course, exercise)
    ratio = statistics.median(warm) / statistics.median(cold)
    print(f"{name}: cold pytest {statistics.median(cold):.2f} s, save to verdict {statistics.median(warm):.3f} s, "
          f"ratio 1/{1 / ratio:.0f}")  # fmt: skip


def measure(course, exercise) -> list[float]:  # type: ignore[no-untyped-def]
    """Seconds from a save to the last verdict."""
    saved = threading.Event()
    stop = threading.Event()
    folder = course.folder(exercise)

    def listen() -> None:
        for _ in watchfiles.watch(folder, stop_event=stop, debounce=DEBOUNCE, step=STEP, rust_timeout=200):
            saved.set()

    threading.Thread(target=listen, daemon=True).start()
    runner = Runner(course, exercise)
    found = []
    try:
        for number in range(RUNS + 1):
            saved.clear()
            module = course.module(exercise)
            source = module.read_text(encoding="utf-8")
            start = time.perf_counter()
            if number:  # the first run waits until the process is warm
                module.write_text(source + "\n", encoding="utf-8")
                saved.wait(10)
            run = runner.order(long=False)
            while not run.done:
                runner.poll()
                time.sleep(0.005)
            assert all(result.passed for result in run.results.values()) and run.results
            found.append(time.perf_counter() - start)
            time.sleep(0.3)
    finally:
        stop.set()
        runner.close()
    return found[1:]


if __name__ == "__main__":
    for word in sys.argv[1:] or ["edit_distance", "attention"]:
        main(word)
