"""An exercise in nbgrader's words: it is an assignment with one notebook, and every criterion is a grade cell.

Notebooks, the course for nbgrader, its autograder and the export to its gradebook take the names from here, so that
points from all of them land in the same cells.
"""

from __future__ import annotations

import ast

import msgspec

from grader.course.manifest import Exercise
from grader.course.paths import Course
from grader.course.suites import WrittenTest, read_suite


class GradeCell(msgspec.Struct, frozen=True, kw_only=True):
    """What the cell of one criterion shows."""

    criterion: str
    title: str
    sentence: str
    points: int
    hidden: bool

    @property
    def grade_id(self) -> str:
        return grade_id(self.criterion)


def assignment_name(exercise: str) -> str:
    """The assignment of an exercise, and its one notebook."""
    return exercise


def grade_id(criterion: str) -> str:
    """The grade cell of a criterion. Names of tests have no hyphen; the ids of all other cells have one."""
    return criterion


def grade_cells(course: Course, exercise: Exercise) -> tuple[GradeCell, ...]:
    """One for each criterion, in the order of the suites: public ones first."""
    return tuple(
        _cell(test, hidden)
        for hidden, suite in enumerate(course.suites(exercise))
        for test in read_suite(suite)
    )  # fmt: skip


def _cell(test: WrittenTest, hidden: int) -> GradeCell:
    sentence = " ".join((ast.get_docstring(test.node) or "").split())
    return GradeCell(
        criterion=test.id, title=test.title, sentence=sentence, points=test.points, hidden=bool(hidden)
    )  # fmt: skip
