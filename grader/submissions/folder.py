"""A folder with a folder per student: ``s01/ctc.py``, or as in the course, ``s01/exercises/ctc/ctc.py``.

Where there is no module, or it is still the stub, the notebook counts: ``s01/ctc.ipynb``.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from grader.course import Course, Exercise
from grader.errors import SubmissionError
from grader.results.schema import Origin
from grader.submissions.base import Submission, open_below, read_source
from grader.submissions.notebook import SUFFIX


class FolderLayout:
    """One folder per student."""

    name = "folder"

    def recognises(self, path: Path) -> bool:
        return path.is_dir()

    def read(
        self, path: Path, course: Course, stub_of: Callable[[Exercise], str] = lambda _: ""
    ) -> tuple[Submission, ...]:
        """One submission per folder; hidden folders are passed over.

        ``stub_of`` makes the stub anew: in the course's own folder somebody may have worked.
        """
        try:
            folders = sorted(f for f in path.iterdir() if f.is_dir() and not f.is_symlink() and f.name[0] not in "._")
        except OSError as error:
            raise SubmissionError(f"{path}: cannot be read ({error.strerror}).") from error
        if not folders:
            raise SubmissionError(
                f"{path}: no student's folder in it. Expected one folder per student, like {path}/s01/."
            )
        found = [read_student(folder, course, stub_of) for folder in folders]
        names = unique([submission.student for submission in found])
        return tuple(msgspec.structs.replace(s, student=name) for s, name in zip(found, names, strict=True))


def read_student(folder: Path, course: Course, stub_of: Callable[[Exercise], str]) -> Submission:
    """What one student handed in."""
    files = {e.name: file for e in course.exercises if (file := find_work(folder, course, e, stub_of)) is not None}
    origins = {name: _text(str(file.relative_to(folder.parent))) for name, file in files.items()}
    return Submission(student=_text(folder.name), files=files, folder=folder, origin=Origin(files=origins))


def _text(name: str) -> str:
    """Names of files need not be text."""
    return os.fsencode(name).decode(errors="backslashreplace")


def unique(names: Sequence[str]) -> list[str]:
    """The names, with a number after those that were there before: two students are never made one."""
    taken = set(names)
    found: list[str] = []
    for name in names:
        number, own = 2, name
        while own in found or (own != name and own in taken):
            own, number = f"{name} ({number})", number + 1
        found.append(own)
    return found


def find_work(folder: Path, course: Course, exercise: Exercise, stub_of: Callable[[Exercise], str]) -> Path | None:
    """The exercise's main module in a student's folder, or the notebook if that is where the work was done."""
    module, notebook = _find(folder, exercise, ".py"), _find(folder, exercise, SUFFIX)
    if module is None or notebook is None:
        return module or notebook
    stubs = read_source(course.module(exercise))[0], stub_of(exercise).encode()
    words = read_source(module, folder)[0].split()
    untouched = words and any(words == stub.split() for stub in stubs)
    return notebook if untouched else module


def _find(folder: Path, exercise: Exercise, suffix: str) -> Path | None:
    """A file of the exercise's name; links are never followed."""
    name = f"{exercise.name}{suffix}"
    for path in (folder / name, folder / exercise.name / name, folder / "exercises" / exercise.name / name):
        try:
            descriptor = open_below(path, folder)
        except PermissionError:  # whoever reads the file will say so
            return path
        except OSError:  # not there, or a link
            continue
        mode = os.fstat(descriptor).st_mode
        os.close(descriptor)
        if stat.S_ISREG(mode):
            return path
    return None
