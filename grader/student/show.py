"""``grader show``: the student's own result as a picture, in the terminal, in a file or in a notebook."""

from __future__ import annotations

import os
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import msgspec

from grader.course import Course, Exercise
from grader.errors import GraderError
from grader.files import write_atomically
from grader.student.notebook import notebook_course
from grader.student.pictures import Curve, Picture
from grader.training.checkpoint import STATE, TrainingState
from grader.training.learner import load_student
from grader.training.tasks import import_data

Drawing = Callable[[Mapping[str, Any]], Picture]


def show(course: Course, exercise: str, out: Path | None = None) -> Picture:
    """The picture of what the student has written; with ``out`` it is written there, too."""
    if out is not None and out.suffix != ".svg":
        raise GraderError(
            f"{out}: pictures are written as SVG. Say --out {out.with_suffix('.svg')}; a browser opens it."
        )
    found = trained(course, course.exercise(exercise)) or _draw(course, exercise, None)
    if out is not None:
        write_atomically(out, found.svg())
    return found


def drawings(course: Course) -> Mapping[str, Drawing]:
    """What the course can draw (``data/drawings.py``), by exercise."""
    if not (course.data / "drawings.py").is_file():
        return {}
    return cast(Mapping[str, Drawing], import_data(course.data, "drawings").DRAWINGS)


def picture(exercise: str, functions: Mapping[str, Any] | None = None) -> Picture:
    """For notebooks: ``picture("ctc", globals())`` draws what the cells define, without it what the module has."""
    return _draw(notebook_course(Path.cwd()), exercise, functions)


def trained(course: Course, exercise: Exercise) -> Picture | None:
    """The loss of the run of ``grader train`` that was saved last, in its usual folder here or in the course."""
    folders = {Path.cwd().resolve(), course.root.resolve()}
    runs = [run for folder in folders for run in folder.glob(f"runs/{exercise.name}-*/{STATE}")]
    for path in sorted(runs, key=lambda run: run.stat().st_mtime, reverse=True):
        try:
            state = msgspec.json.decode(path.read_bytes(), type=TrainingState)
        except (OSError, msgspec.MsgspecError):
            continue
        if state.exercise == exercise.name and state.losses:
            losses = [loss for _, loss in state.losses]
            notes = (f"from {losses[0]:.2f} to {losses[-1]:.2f}, as `grader train` saved it in {path.parent}",)
            curve = Curve(values=losses, last=state.step)
            return Picture(f"Your {exercise.name} learns ({state.task}): loss per token", [[curve]], notes)
    return None


@contextmanager
def at_most(seconds: float, exercise: str) -> Iterator[None]:
    """Ends the whole process, with a sentence, if the student's code has not come to an end after this time."""
    student = threading.get_ident()

    def end() -> None:
        frame = sys._current_frames().get(student)
        where = _place(traceback.extract_stack(frame), exercise)
        words = f"your code has not come to an end after {seconds:g} seconds{where}"
        print(f"grader: {exercise}: {words}. Run: grader check {exercise}", file=sys.stderr, flush=True)
        os._exit(1)  # nothing else ends a loop in another thread

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _draw(course: Course, name: str, functions: Mapping[str, Any] | None) -> Picture:
    exercise = course.exercise(name)
    known = drawings(course)
    if name not in known:
        others = ", ".join(known) or "no exercise of this course"
        raise GraderError(f"There is no picture for {name!r}. There is one for: {others}.")
    own = vars(load_student(course, exercise, None)) if functions is None else functions
    try:
        found = known[name](own)
        found.svg()  # what cannot be drawn is found here, too
        found.text()
    except NotImplementedError as error:
        raise GraderError(f"{name}: the picture needs what is not written yet ({error}).") from error
    except (Exception, SystemExit) as error:  # a student's failure is an answer, whatever it is
        where = _place(traceback.extract_tb(error.__traceback__), name)
        if isinstance(error, KeyError) and not where:
            raise GraderError(f"{name}: the picture needs {error}, and it is not there.") from error
        words = f"{type(error).__name__}{where}: {error}"
        raise GraderError(
            f"{name}: your code gave nothing that can be drawn ({words}). Run: grader check {name}"
        ) from error
    return found


def _place(frames: traceback.StackSummary, exercise: str) -> str:
    """Where the student's own code was last."""
    own = [frame for frame in frames if Path(frame.filename).stem == exercise]
    return f" in {Path(own[-1].filename).name}, line {own[-1].lineno}" if own else ""
