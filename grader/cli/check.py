"""``grader check``: the public tests on a student's own files."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from grader.cli.base import (
    FOUND_FAILURES,
    course_option,
    exercise_arguments,
    json_option,
    make_console,
    open_course,
    require_torch,
)


@click.command()
@exercise_arguments
@json_option
@course_option
def check(exercises: tuple[str, ...], as_json: bool, folder: Path) -> None:
    """Run the public tests on your files (all exercises, or those you name).

    `grader check attention.ipynb` takes the code from the notebook as it was saved, and writes it to attention.py.
    """
    course = open_course(folder)
    require_torch()
    from grader.reports import terminal
    from grader.results import schema
    from grader.results.records import ExerciseResult, Verdict
    from grader.results.scoring import left_out
    from grader.student.check import check_exercises
    from grader.student.notebook import notebook_exercise, write_module
    from grader.submissions.notebook import SUFFIX

    notebooks = dict(notebook_exercise(course, name) for name in exercises if name.endswith(SUFFIX))
    selected = course.select(tuple(Path(name).stem if name.endswith(SUFFIX) else name for name in exercises))
    for exercise, notebook in notebooks.items():
        write_module(course, exercise, notebook)

    console = make_console()
    documents = []
    passed = True
    for exercise, result in check_exercises(course, selected):
        mended = isinstance(result, ExerciseResult) and (
            result.verdict is Verdict.PASSED or left_out(result, course.optional)
        )
        passed = passed and mended
        if not as_json:
            terminal.print_check(console, exercise, result)
        elif isinstance(result, ExerciseResult):
            document = msgspec.to_builtins(schema.graded_exercise(exercise, result))
            documents.append({**document, "hidden_criteria": exercise.hidden_criteria})
        else:
            documents.append({"name": exercise.name, "fault": result})
    if as_json:
        click.echo(schema.as_json({"format": schema.FORMAT, "passed": passed, "exercises": documents}), nl=False)
    if not passed:
        raise SystemExit(FOUND_FAILURES)
