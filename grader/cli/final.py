"""What commands share that show results: adjustments and the policy of the course are part of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from grader.errors import ManifestError

if TYPE_CHECKING:
    from grader.course import Course
    from grader.results.policies import Extensions
    from grader.results.schema import Results


def open_final(path: Path, folder: Path) -> Results:
    """The results as people see them; where no course is near, there is no policy."""
    from grader.results.final import final_results

    course = near_course(folder)
    return final_results(path, course, extensions_of(course))


def near_course(folder: Path) -> Course | None:
    """The course of this folder; None if there is none, but a course with a mistake in it is an error."""
    from grader.course.manifest import FILE_NAME
    from grader.course.paths import load_course, nearest_manifest

    start = folder.resolve()
    manifest = nearest_manifest((start, *start.parents))
    if manifest is None and folder != Path():
        raise ManifestError(start / FILE_NAME, "", "not found here or in any folder above.")
    return load_course(manifest) if manifest else None


def extensions_of(course: Course | None) -> Extensions:
    """Who has more time, as the policy of the course says."""
    from grader.submissions.extensions import read_extensions

    name = course.policy.extensions if course else ""
    return read_extensions(course.root / name) if course and name else {}
