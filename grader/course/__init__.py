"""The course as it lies on disk: what belongs to it, where, and who may see it. Reads files, runs nothing."""

from grader.course.manifest import Exercise
from grader.course.paths import Course, find_course, load_course

__all__ = ["Course", "Exercise", "find_course", "load_course"]
