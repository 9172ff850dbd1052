"""From files, however they arrive, to submissions: one file per layout, listed here."""

from collections.abc import Callable
from pathlib import Path

from grader.course import Course, Exercise
from grader.errors import SubmissionError
from grader.submissions.base import Layout, Submission
from grader.submissions.folder import FolderLayout

# A new layout is a file beside this one, and a name here; the first that recognises what it is given reads it.
LAYOUTS: tuple[Layout, ...] = (FolderLayout(),)


def read_submissions(path: Path, course: Course, stub_of: Callable[[Exercise], str]) -> tuple[Submission, ...]:
    """The submissions that lie there, sorted by student."""
    for layout in LAYOUTS:
        if layout.recognises(path):
            return layout.read(path, course, stub_of)
    raise SubmissionError(f"{path}: not a folder. Give a folder that holds one folder per student.")
