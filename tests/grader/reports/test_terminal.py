"""Tables for the terminal."""

import io
from pathlib import Path

import pytest
from rich.console import Console

from grader.course import find_course
from grader.reports.terminal import print_class
from grader.results.records import Criterion, CriterionResult, ExerciseResult, Kind, StudentResult, Verdict
from grader.results.schema import Confinement, make_results

COURSE = find_course(Path(__file__).parent)


@pytest.mark.parametrize("width", [80, 300])
def test_the_table_of_a_class_fits_and_names_every_exercise(width):
    results = tuple(ExerciseResult(name=exercise.name, criteria=()) for exercise in COURSE.exercises)
    stream = io.StringIO()
    console = Console(file=stream, width=width)
    students = [StudentResult(id="s01", exercises=results)]
    print_class(console, make_results(COURSE, students, Confinement(), {}))
    output = stream.getvalue()
    assert max(map(len, output.splitlines())) <= width
    headings = [line.split() for line in output.splitlines() if "student" in line]
    assert [heading[-1] == "total" for heading in headings] == [False] * (len(headings) - 1) + [True]
    if width == 80:  # in several tables, with the total in the last
        shown_numbers = [number for heading in headings for number in heading if number.isdigit()]
        assert shown_numbers == [str(number) for number in range(1, len(results) + 1)]
        for number, exercise in enumerate(COURSE.exercises, start=1):
            assert f"{number} {exercise.name}" in output
    else:
        assert len(headings) == 1
        assert "transformer" in headings[0]


def shown(print_something, *args):
    stream = io.StringIO()
    print_something(Console(file=stream, width=120), *args)
    return stream.getvalue()


def result(**fields):
    criteria = tuple(
        CriterionResult(
            criterion=Criterion(
                id=id_, title=id_, kind=Kind.VALUE, points=1, hint="", sentence="s", timeout=1.0, hidden=False
            ),
            verdict=Verdict.ERROR,
            message="Not reached: the module does not import.",
        )
        for id_ in "abc"
    )
    return ExerciseResult(name=COURSE.exercises[0].name, criteria=criteria, **fields)


def test_a_module_that_does_not_import_is_told_once():
    problem = "does not import (x.py:35: invalid syntax)"
    name = COURSE.exercises[0].name
    students = [StudentResult(id="s01", exercises=(result(problem=problem, notes=("a note",)),))]
    table = shown(print_class, make_results(COURSE, students, Confinement(), {}))
    assert f"s01: {name}: {problem}" in table
    assert "3 × error" not in table
    assert "a note" not in table
