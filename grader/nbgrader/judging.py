"""The judges of one run of nbgrader: one for each exercise, started once, warm until the run ends."""

from __future__ import annotations

import contextlib
from pathlib import Path

from grader.course import Course, Exercise, find_course
from grader.course.secrets import ensure_secret
from grader.errors import GraderError, ManifestError
from grader.grading.backends.local import LocalBackend
from grader.grading.run import ClassRun
from grader.grading.settings import Settings
from grader.grading.tasks import TaskReader
from grader.results.gradebook import open_gradebook
from grader.results.records import ExerciseResult
from grader.sandbox.layers import require_layers
from grader.submissions.base import HandIn, Submission
from grader.submissions.catalogue import make_catalogue
from grader.submissions.choice import Rules, choose
from grader.submissions.nbgrader import TIMESTAMP
from grader.submissions.pile import read_tree

JOURNAL = ".grader"  # in nbgrader's course: what was judged already


class Judging:
    """Grades one exercise of one student at a time."""

    def __init__(self, course: Path, journal: Path, *, diagnose: bool) -> None:
        self.course = _teachers_course(course)
        self.journal = journal
        self.diagnose = diagnose
        self.layers = require_layers()
        self.seed = ensure_secret(self.course.solutions)
        self.catalogue = make_catalogue(self.course)
        self.ready: dict[str, tuple[TaskReader, LocalBackend]] = {}
        self.open = contextlib.ExitStack()

    def read(self, student: str, folder: Path) -> Submission:
        """What counts of a student's folder in ``submitted``: all assignments, because one may build on another."""
        files = tuple(member for member in read_tree(folder).members if member.name != TIMESTAMP)
        return choose(HandIn(student=student, files=files), self.catalogue, Rules())[0]

    def grade(self, submission: Submission, exercise: Exercise) -> ExerciseResult:
        reader, backend = self._ready(exercise)
        with open_gradebook(self.journal / exercise.name) as gradebook:
            run = ClassRun(reader.settings, [submission], gradebook, backend, reader)
            run.judge_short(lambda work: None)
            run.judge_long(lambda work: None)
        return run.students()[0].exercises[0]

    def close(self) -> None:
        self.open.close()

    def _ready(self, exercise: Exercise) -> tuple[TaskReader, LocalBackend]:
        """What one exercise needs for all its notebooks."""
        if exercise.name not in self.ready:
            settings = Settings(
                course=self.course, exercises=(exercise,), seed=self.seed, jobs=1, layers=self.layers,
                diagnose=self.diagnose,
            )  # fmt: skip
            self.ready[exercise.name] = TaskReader(settings), self.open.enter_context(LocalBackend(settings))
        return self.ready[exercise.name]


def _teachers_course(folder: Path) -> Course:
    """The course with solutions; it may have moved since the configuration was written."""
    where = "nbgrader_config.py: c.ConfinedExecute.course (COURSE)"
    if not folder.is_dir():
        raise GraderError(f"{where}: {folder}: no such folder. Name the folder that has course.toml and solutions now.")
    try:
        course = find_course(folder)
    except ManifestError as error:
        raise GraderError(f"{where}: {error}") from None
    if not course.solutions.is_dir():
        raise GraderError(f"{where}: {course.root}: has no solutions. Name your own course, not what students get.")
    return course
