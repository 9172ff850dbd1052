"""A folder with a folder per student: ``pile/s01/ctc.py``, or as in the course, ``pile/s01/exercises/ctc/ctc.py``.

Where there is no module, or it is still the stub, the notebook counts: ``pile/s01/ctc.ipynb``.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from grader.errors import SubmissionError
from grader.manifest import Course, Exercise
from grader.submissions.base import Submission, read_source
from grader.submissions.notebook import SUFFIX


def read_folder(
    pile: Path, course: Course, stub_of: Callable[[Exercise], str] = lambda _: ""
) -> tuple[Submission, ...]:
    """One submission per folder in ``pile``, sorted by student; hidden folders are passed over.

    ``stub_of`` makes the stub anew: in the course's own folder somebody may have worked.
    """
    if not pile.is_dir():
        raise SubmissionError(f"{pile}: not a folder. Give a folder that holds one folder per student.")
    try:
        folders = sorted(f for f in pile.iterdir() if f.is_dir() and not f.is_symlink() and f.name[0] not in "._")
    except OSError as error:
        raise SubmissionError(f"{pile}: cannot be read ({error.strerror}).") from error
    if not folders:
        raise SubmissionError(f"{pile}: no student's folder in it. Expected one folder per student, like {pile}/s01/.")
    return tuple(
        Submission(
            student=os.fsencode(folder.name).decode(errors="backslashreplace"),  # names need not be text
            files={
                e.name: file for e in course.exercises if (file := find_work(folder, course, e, stub_of)) is not None
            },
        )
        for folder in folders
    )


def find_work(folder: Path, course: Course, exercise: Exercise, stub_of: Callable[[Exercise], str]) -> Path | None:
    """The exercise's main module in a student's folder, or the notebook if that is where the work was done."""
    module, notebook = _find(folder, exercise, ".py"), _find(folder, exercise, SUFFIX)
    if module is None or notebook is None:
        return module or notebook
    stubs = read_source(course.module(exercise))[0], stub_of(exercise).encode()
    words = read_source(module)[0].split()
    untouched = words and any(words == stub.split() for stub in stubs)
    return notebook if untouched else module


def _find(folder: Path, exercise: Exercise, suffix: str) -> Path | None:
    """A file of the exercise's name; links are never followed."""
    name = f"{exercise.name}{suffix}"
    folder = folder.resolve()
    for path in (folder / name, folder / exercise.name / name, folder / "exercises" / exercise.name / name):
        try:
            if path.is_file() and path.resolve() == path:
                return path
        except OSError:  # a folder that we may not enter: whoever reads the file will say so
            return path
    return None
