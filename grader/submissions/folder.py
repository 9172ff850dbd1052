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
            student=os.fsencode(folder.name).decode(errors="replace"),  # names need not be text
            files={e.name: file for e in exercises if (file := find_file(folder, e)) is not None},
        )
        for folder in folders
    )


def find_file(folder: Path, exercise: Exercise) -> Path | None:
    """The exercise's main module in a student's folder; links are never followed."""
    name = f"{exercise.name}.py"
    for place in (folder, folder / exercise.name, folder / "exercises" / exercise.name):
        if not place.is_symlink() and _is_plain_file(place / name):
            return place / name
    return None


def _is_plain_file(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()
