"""``grader hint``: the next hint for what does not pass yet."""

from __future__ import annotations

from pathlib import Path

import click

from grader.cli.base import course_option, open_course


@click.command()
@click.argument("exercise")
@click.argument("criterion", default="")
@course_option
def hint(exercise: str, criterion: str, folder: Path) -> None:
    """Give the next hint: first a question, then a direction, then nearly the step.

    It is about the first criterion that did not pass in your last check, or about the CRITERION you name.
    """
    course = open_course(folder)
    from grader.errors import GraderError
    from grader.student.check_report import student_console
    from grader.student.hint import next_hint
    from grader.student.targets import find_targets

    target = find_targets(course, (exercise,), Path.cwd())[0]
    found = next_hint(course, target.exercise, criterion)
    if found is None and criterion:
        raise GraderError(
            f"{target.exercise.name} has no public criterion {criterion!r}: see `grader explain {exercise}`."
        )
    console = student_console()
    if found is None:
        console.print("All public criteria passed: there is nothing to hint at.", markup=False)
        return
    left = f"{found.left} more" if found.left else "this was the last"
    console.print(f"{found.title}\n  {found.words}\n  (hint {found.number}, {left})", markup=False)
