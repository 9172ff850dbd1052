"""Programs that were written from handout and stub alone: right ones get all points, wrong ones do not.

``tests/independent/<exercise>/`` has them. The first line of a wrong one says what is wrong in it.
"""

import os
from pathlib import Path

import pytest

from grader.grading.settings import Settings
from grader.results.gradebook import open_gradebook
from grader.sandbox.layers import find_layers
from grader.submissions.base import submission_of
from tests.grader.conftest import grade_class
from tests.grader.validation.test_exercises import COURSE, failures

PROGRAMS = sorted((COURSE.root / "tests/independent").glob("*/*.py"))
EVERY = 6  # of them is judged, unless `whole` is asked for


def judged(programs, folder):
    """The failed criteria of each program."""
    submissions = []
    for program in programs:
        name = program.parent.name
        path = folder / program.stem / name / f"{name}.py"
        path.parent.mkdir(parents=True)
        path.write_bytes(program.read_bytes())
        submissions.append(submission_of(f"{name} {program.stem}", {name: path}))
    exercises = tuple(e for e in COURSE.exercises if any(e.name == program.parent.name for program in programs))
    settings = Settings(
        course=COURSE, exercises=exercises, seed=COURSE.secret, jobs=os.cpu_count(), layers=find_layers(), quick=True
    )
    with open_gradebook(folder) as gradebook:
        students = grade_class(settings, submissions, gradebook)
    results = [
        next(found for found in student.exercises if found.name == program.parent.name)
        for student, program in zip(students, programs, strict=True)
    ]
    assert not any(result.fault for result in results)
    return [failures(result) for result in results]


def assert_judged_rightly(programs, folder):
    found = dict(zip(programs, judged(programs, folder), strict=True))
    assert {program: failed for program, failed in found.items() if failed and is_right(program)} == {}
    assert [program for program, failed in found.items() if not failed and not is_right(program)] == []


def is_right(program: Path) -> bool:
    return program.stem.startswith("right")


def test_there_are_enough_of_both():
    for folder in {program.parent for program in PROGRAMS}:
        names = [program for program in PROGRAMS if program.parent == folder]
        assert sum(map(is_right, names)) >= 3
        assert len(names) - sum(map(is_right, names)) >= 10


@pytest.mark.all_cores
@pytest.mark.proof
def test_programs_of_others_are_judged_rightly(tmp_path):
    assert_judged_rightly(PROGRAMS[::EVERY], tmp_path)


@pytest.mark.all_cores
@pytest.mark.whole
def test_all_programs_of_others_are_judged_rightly(tmp_path):
    assert_judged_rightly(PROGRAMS, tmp_path)
