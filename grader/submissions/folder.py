"""A folder with a folder per student: ``pile/s01/ctc.py``, or as in the course, ``pile/s01/exercises/ctc/ctc.py``."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from grader.errors import SubmissionError
from grader.manifest import Exercise
from grader.submissions.base import Submission


def read_folder(pile: Path, exercises: Iterable[Exercise]) -> tuple[Submission, ...]:
    """One submission per folder in ``pile``, sorted by student; hidden folders are passed over."""
    if not pile.is_dir():
        raise SubmissionError(f"{pile}: not a folder. Give a folder that holds one folder per student.")
    exercises = tuple(exercises)
    try:
        folders = sorted(f for f in pile.iterdir() if f.is_dir() and not f.is_symlink() and f.name[0] not in "._")
    except OSError as error:
        raise SubmissionError(f"{pile}: cannot be read ({error.strerror}).") from error
    if not folders:
        raise SubmissionError(f"{pile}: no student's folder in it. Expected one folder per student, like {pile}/s01/.")
    return tuple(
        Submission(
            student=os.fsencode(folder.name).decode(errors="backslashreplace"),  # names need not be text
            files={e.name: file for e in exercises if (file := find_file(folder, e)) is not None},
        )
        for folder in folders
    )


def find_file(folder: Path, exercise: Exercise) -> Path | None:
    """The exercise's main module in a student's folder; links are never followed."""
    name = f"{exercise.name}.py"
    folder = folder.resolve()
    for path in (folder / name, folder / exercise.name / name, folder / "exercises" / exercise.name / name):
        try:
            if path.is_file() and path.resolve() == path:
                return path
        except OSError:  # a folder that we may not enter: whoever reads the file will say so
            return path
    return None
