"""``grader show``: the student's own result as a picture, in the terminal, in a file or in a notebook."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

from grader.course import Course
from grader.errors import GraderError
from grader.files import write_atomically
from grader.student.notebook import notebook_course
from grader.student.pictures import Picture
from grader.training.learner import load_student
from grader.training.tasks import import_data

Drawing = Callable[[Mapping[str, Any]], Picture]


def show(course: Course, exercise: str, out: Path | None = None) -> Picture:
    """The picture of what the student has written; with ``out`` it is written there, too."""
    if out is not None and out.suffix != ".svg":
        raise GraderError(
            f"{out}: pictures are written as SVG. Say --out {out.with_suffix('.svg')}; a browser opens it."
        )
    found = _draw(course, exercise, None)
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


def _draw(course: Course, name: str, functions: Mapping[str, Any] | None) -> Picture:
    exercise = course.exercise(name)
    known = drawings(course)
    if name not in known:
        others = ", ".join(known) or "no exercise of this course"
        raise GraderError(f"There is no picture for {name!r}. There is one for: {others}.")
    own = vars(load_student(course, exercise, None)) if functions is None else functions
    try:
        return known[name](own)
    except NotImplementedError as error:
        raise GraderError(f"{name}: the picture needs what is not written yet ({error}).") from error
    except KeyError as error:
        raise GraderError(f"{name}: the picture needs {error}, and it is not there.") from error
    except Exception as error:  # a student's failure is an answer, whatever it is
        words = f"{type(error).__name__}: {error}"
        raise GraderError(
            f"{name}: your code gave nothing that can be drawn ({words}). Run: grader check {name}"
        ) from error
