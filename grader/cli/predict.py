"""``grader predict``: questions about small inputs, before anything is written."""

from __future__ import annotations

from pathlib import Path

import click

from grader.cli.base import course_option, open_course

TRIES = 3


@click.command()
@click.argument("exercise")
@course_option
def predict(exercise: str, folder: Path) -> None:
    """Say what a few small inputs give, before you write the code. It costs nothing and unlocks nothing.

    Brackets, commas and capitals make no difference, and numbers count to two decimals. Enter alone skips a question.
    """
    course = open_course(folder)
    from grader.course.predictions import read_predictions, reply

    predictions = read_predictions(course, course.exercise(exercise))
    right = 0
    for number, question in enumerate(predictions.question, start=1):
        click.echo(f"\n{number}/{len(predictions.question)}  {question.ask}")
        for _ in range(TRIES):
            answer = click.prompt("    your answer", default="", show_default=False)
            if not answer.strip():
                break
            found = reply(predictions, number, answer)
            click.echo(f"    {found.words}")
            if found.right:
                right += 1
                break
    click.echo(f"\n{right} of {len(predictions.question)} right.")
