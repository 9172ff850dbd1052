"""Writes the wrong answers by which students' known mistakes are recognised."""

from __future__ import annotations

from grader.authoring.stubs import write_if_changed
from grader.course import Course, Exercise
from grader.course.known_mistakes import as_text, known_mistakes_file
from grader.validation.known_mistakes import make_known_mistakes


def write_diagnoses(course: Course, exercise: Exercise, *, only_check: bool = False) -> bool:
    """Write the file of this exercise; True if that changed (or would change) it."""
    known, _ = make_known_mistakes(course, exercise)
    return write_if_changed(known_mistakes_file(course, exercise), as_text(known), only_check=only_check)
