"""An nbgrader course of our exercises: its configuration, and a source notebook for each with what it needs beside."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from grader.authoring.notebooks import lone_cell, make_source_notebook
from grader.course import Course, Exercise
from grader.student.cells import HIDDEN_COURSE
from grader.student.notebook import COURSE_FOLDER

CONFIG = "nbgrader_config.py"
HEADER = "source/header.ipynb"
HEADER_TEXT = """\
**How to work here.** Write your code into the cells that say *is yours to write*. Cells of your own are welcome, and
cost nothing. Save the notebook before you run the cells under *What is graded*: they look at the file. Cells that you
cannot edit are put back before your work is graded."""
STARTUP = 60  # seconds for a kernel, torch and the tests to start
TEXT = '''\
"""nbgrader's configuration for {title}. `grader nbgrader-course` wrote it; it is yours to change."""

import os

from nbconvert.preprocessors import ClearMetadataPreprocessor, CSSHTMLHeaderPreprocessor
from nbgrader.preprocessors import (
    AssignLatePenalties, CheckCellMetadata, ClearHiddenTests, ClearMarkScheme, ClearOutput, ComputeChecksums,
    DeduplicateIds, Execute, GetGrades, IgnorePattern, IncludeHeaderFooter, LimitOutput, LockCells,
    OverwriteCells, OverwriteKernelspec, SaveAutoGrades, SaveCells,
)

from grader.nbgrader import ConfinedExecute, LeaveFaults, RestoreCells, StubSolutions

# True: students' code is judged in a sandbox. False: it runs in a kernel, as you, and can read hidden tests and write
# grades; docs/nbgrader.md shows how.
CONFINED = True
COURSE = {course!r}  # with solutions and hidden tests

c = get_config()  # noqa: F821  nbgrader has it
c.CourseDirectory.course_id = {slug!r}
c.CourseDirectory.root = os.path.dirname(os.path.abspath(__file__))
c.ConfinedExecute.course = COURSE
os.environ[{variable!r}] = COURSE  # for hidden tests in a kernel: `nbgrader validate` on source, or CONFINED = False

c.IncludeHeaderFooter.header = {header!r}
c.GenerateAssignment.preprocessors = [
    IncludeHeaderFooter, LockCells, StubSolutions, ClearOutput, CheckCellMetadata, ComputeChecksums, SaveCells,
    ClearHiddenTests, ClearMarkScheme, ComputeChecksums, CheckCellMetadata,
]
c.Autograde.sanitize_preprocessors = [
    RestoreCells, ClearOutput, DeduplicateIds, OverwriteKernelspec, OverwriteCells, CheckCellMetadata,
]
c.Autograde.autograde_preprocessors = [
    ConfinedExecute if CONFINED else Execute, IgnorePattern, ClearMetadataPreprocessor, LimitOutput, SaveAutoGrades,
    LeaveFaults, AssignLatePenalties, CheckCellMetadata,
]

# Where cells run in a kernel: time for torch and for all tests of an exercise, and no lost points for words on stderr.
c.Execute.timeout = {timeout}
c.IgnorePattern.enabled = True
c.IgnorePattern.pattern = "(?s).*"

# Feedback shows no hidden tests.
c.GenerateFeedback.preprocessors = [GetGrades, ClearHiddenTests, CSSHTMLHeaderPreprocessor]
'''


def nbgrader_course(course: Course, exercises: Iterable[Exercise]) -> dict[str, bytes]:
    """All files by their path in nbgrader's course; the same course gives the same bytes."""
    exercises = tuple(exercises)
    files = {CONFIG: _config(course).encode(), HEADER: lone_cell(HEADER_TEXT, "header").encode()}
    for exercise in exercises:
        folder = f"source/{exercise.name}"
        files[f"{folder}/{exercise.name}.ipynb"] = make_source_notebook(course, exercise).encode()
        for path in _beside(course, exercise):
            files[f"{folder}/{path.relative_to(course.folder(exercise)).as_posix()}"] = path.read_bytes()
        for path in _for_public_tests(course, exercise):
            place = path.relative_to(course.root).as_posix()
            files[f"{folder}/{COURSE_FOLDER}/{place}"] = path.read_bytes()
    return files


def _config(course: Course) -> str:
    return TEXT.format(
        title=course.title.replace('"', "'").replace("\\", ""),
        course=str(course.root.resolve()),
        slug=re.sub(r"[^a-z0-9]+", "-", course.title.lower()).strip("-") or "course",
        variable=HIDDEN_COURSE,
        header=HEADER,
        timeout=STARTUP + round(max((exercise.budget for exercise in course.exercises), default=0)),
    )


def _beside(course: Course, exercise: Exercise) -> list[Path]:
    """Pictures and the like, which the notebook shows."""
    found = [path for path in course.public_files() if path.is_relative_to(course.folder(exercise))]
    return [path for path in found if path.suffix not in (".py", ".ipynb", ".md")]


def _for_public_tests(course: Course, exercise: Exercise) -> list[Path]:
    """What the public tests need: the manifest, data, and the suites of this exercise and of those that it uses.

    No module that students write: theirs are their own notebooks.
    """
    names = (exercise.name, *exercise.builds_on, *exercise.implementations_of)
    exercises = [course.exercise(name) for name in names]
    folders = [course.data, *map(course.folder, exercises)]
    return [
        path
        for path in course.public_files()
        if path == course.manifest
        or (
            path.suffix == ".py"
            and any(path.is_relative_to(folder) for folder in folders)
            and path not in map(course.module, exercises)
        )
    ]
