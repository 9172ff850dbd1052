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
    open_course,
    require_torch,
)


@click.command()
@exercise_arguments
@click.option("-v", "--verbose", is_flag=True, help="Explain every criterion that did not pass, not only the first.")
@click.option("--again", is_flag=True, help="Run also what has not changed since all of it passed.")
@json_option
@course_option
def check(exercises: tuple[str, ...], verbose: bool, again: bool, as_json: bool, folder: Path) -> None:
    """Run the public tests on your files.

    Name exercises, files or folders. Without a name: the exercise of the folder you are in, else all of them.

    `grader check attention.ipynb` takes the code from the notebook as it was saved, and writes it to attention.py.
    """
    course = open_course(folder)
    require_torch()
    from grader.results import schema
    from grader.results.scoring import left_out
    from grader.student import check_report
    from grader.student.check import check_exercises
    from grader.student.notebook import write_module
    from grader.student.progress import read_progress
    from grader.student.targets import find_targets

    targets = find_targets(course, exercises, folder if folder != Path() else Path.cwd())
    for target in targets:
        if target.notebook is not None:
            write_module(course, target.exercise, target.notebook)

    console = check_report.student_console()
    done, documents = [], []
    passed = True
    with check_report.activity(console) as activity:
        for checked in check_exercises(course, targets, again=again or as_json, tell=activity.tell):
            result = checked.result
            passed = passed and (checked.green or (result is not None and left_out(result, course.optional)))
            done.append(checked)
            if not as_json:
                check_report.print_checked(console, checked, verbose=verbose)
            elif result is not None:
                document = msgspec.to_builtins(schema.graded_exercise(checked.exercise, result))
                documents.append({**document, "hidden_criteria": checked.exercise.hidden_criteria})
            else:
                documents.append({"name": checked.exercise.name, "fault": checked.fault})
    if as_json:
        click.echo(schema.as_json({"format": schema.FORMAT, "passed": passed, "exercises": documents}), nl=False)
    else:
        check_report.print_next(console, course, read_progress(course), done)
    if not passed:
        raise SystemExit(FOUND_FAILURES)
