"""A student's notebook: its course, and the module that it becomes when it is saved."""

from __future__ import annotations

from pathlib import Path

from grader.course import Course, Exercise, find_course
from grader.course.manifest import FILE_NAME
from grader.errors import GraderError
from grader.submissions.base import read_source
from grader.wire.notebook import is_notebook

COURSE_FOLDER = "course"  # beside a notebook that nbgrader gave out: what the public tests need


def notebook_course(here: Path) -> Course:
    """The course of a notebook in this folder."""
    beside = here / COURSE_FOLDER
    return find_course(beside if (beside / FILE_NAME).is_file() else here)


def write_module(course: Course, exercise: Exercise, notebook: Path) -> Path:
    """Write the notebook's code to the exercise's module; a module that was written otherwise is kept beside it."""
    content, why = read_source(notebook)
    if why:
        raise GraderError(f"{notebook}: {why}")
    module = course.module(exercise)
    try:
        if module.is_file() and not is_notebook(module.read_bytes()):
            module.replace(_free(module))
        module.write_bytes(content)
    except OSError as error:
        raise GraderError(
            f"{module}: cannot be written ({error.strerror}), and the tests need the notebook's code there. Copy the "
            "course into a folder of your own."
        ) from error
    return module


def notebook_exercise(course: Course, name: str) -> tuple[Exercise, Path]:
    """For ``attention.ipynb``, here or in the exercise's folder: its exercise, and the file."""
    exercise = course.exercise(Path(name).stem)
    for path in (Path(name), course.notebook(exercise)):
        if path.is_file():
            return exercise, path
    raise GraderError(f"{name}: no such notebook, neither here nor in {course.folder(exercise)}.")


def _free(module: Path) -> Path:
    """A name that nothing has yet: attention.py.bak, attention.py.bak2, …"""
    number = 1
    while True:
        path = module.with_name(f"{module.name}.bak{number if number > 1 else ''}")
        if not path.exists():
            return path
        number += 1
