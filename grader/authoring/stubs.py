"""Writes the stubs that students get."""

from __future__ import annotations

from pathlib import Path

from grader.course import Course, Exercise
from grader.course.stubs import course_stub


def write_stub(course: Course, exercise: Exercise, *, only_check: bool = False) -> bool:
    """Write the exercise's stub; True if that changed (or would change) the file."""
    return write_if_changed(course.module(exercise), course_stub(course, exercise), only_check=only_check)


def write_if_changed(target: Path, text: str, *, only_check: bool) -> bool:
    """True if the file does not say so yet; it is then written, unless this is only a check."""
    if target.is_file() and target.read_text(encoding="utf-8") == text:
        return False
    if not only_check:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    return True
