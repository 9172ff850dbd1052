"""Results as people see them: with a teacher's adjustments, and by the policy of the course."""

from __future__ import annotations

from pathlib import Path

from grader.course import Course
from grader.results.adjustments import adjusted, read_adjustments
from grader.results.policies import Extensions, with_policy
from grader.results.schema import Results, load_results


def final_results(path: Path, course: Course | None = None, extensions: Extensions | None = None) -> Results:
    """What a results file, or the folder that holds it, says in the end."""
    return finish(load_results(path), path if path.is_dir() else path.parent, course, extensions)


def finish(results: Results, folder: Path, course: Course | None, extensions: Extensions | None = None) -> Results:
    """The same for results that are at hand; adjustments lie in ``folder``."""
    found = adjusted(results, read_adjustments(folder))
    return with_policy(found, course.policy, course.exercises, extensions) if course else found
