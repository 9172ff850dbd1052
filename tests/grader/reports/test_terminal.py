"""Tables for the terminal."""

import io
from pathlib import Path

import pytest
from rich.console import Console

from grader.course import find_course
from grader.reports.terminal import print_class
from grader.results.records import ExerciseResult, StudentResult
from grader.results.schema import Confinement, make_results

COURSE = find_course(Path(__file__).parent)


@pytest.mark.parametrize("width", [80, 200])
def test_the_table_of_a_class_fits_and_names_every_exercise(width):
    results = tuple(ExerciseResult(name=exercise.name, criteria=()) for exercise in COURSE.exercises)
    stream = io.StringIO()
    console = Console(file=stream, width=width)
    students = [StudentResult(id="s01", exercises=results)]
    print_class(console, make_results(COURSE, students, Confinement(), {}))
    output = stream.getvalue()
    assert max(map(len, output.splitlines())) <= width
    heading = next(line.split() for line in output.splitlines() if "student" in line)
    if width == 80:
        assert heading == ["student", *"123456789"[: len(results)], "total"]
        for number, exercise in enumerate(COURSE.exercises, start=1):
            assert f"{number} {exercise.name}" in output
    else:
        assert "transformer" in heading
