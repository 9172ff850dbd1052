"""``release.json``: what students were given, so that their machine can tell it from what they wrote."""

from __future__ import annotations

from pathlib import Path

import msgspec

from grader.course.paths import Course
from grader.errors import GraderError

FORMAT = 1


class Given(msgspec.Struct, frozen=True, kw_only=True):
    """Every file of a release, and the code that students start from; both by their path in the course."""

    format: int = FORMAT
    files: dict[str, str] = {}  # path -> SHA-256 of the file
    starts: dict[str, str] = {}  # path of a module or notebook -> SHA-256 of its code


def read_given(course: Course) -> Given:
    """What ``release.json`` says; nothing where there is none, as in the teacher's own repository."""
    path = course.given
    if not path.is_file():
        return Given()
    try:
        given = msgspec.json.decode(path.read_bytes(), type=Given)
    except (OSError, msgspec.DecodeError) as error:
        raise GraderError(f"{path}: cannot be read ({error}). Get it again from your course.") from error
    if given.format != FORMAT:
        raise GraderError(f"{path}: format is {given.format}, this grader reads {FORMAT}. Get the course again.")
    return given


def path_in(course: Course, path: Path) -> str:
    """The path of a file of the course, as ``release.json`` and a zip call it."""
    return path.resolve().relative_to(course.root.resolve()).as_posix()
