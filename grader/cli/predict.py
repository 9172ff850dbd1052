"""``grader predict``: questions about small inputs, before anything is written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli.base import course_option, open_course

if TYPE_CHECKING:
    from grader.course.predictions import Predictions

TRIES = 3


@click.command()
@click.argument("exercise")
@course_option
def predict(exercise: str, folder: Path) -> None:
    """Say what a few small inputs give, before you write the code. It costs nothing and unlocks nothing.

    Brackets, commas and capitals make no difference. Numbers count to two decimals, with a point: 0.25. Enter alone
    skips a question, and Ctrl-D ends.
    """
    course = open_course(folder)
    from grader.course.predictions import read_predictions

    predictions = read_predictions(course, course.exercise(exercise))
    right = 0
    try:
        for number, question in enumerate(predictions.question, start=1):
            click.echo(f"\n{number}/{len(predictions.question)}  {question.ask}")
            right += _answered(predictions, number)
    except click.Abort:  # Ctrl-C, or no more input: what was answered still counts
        click.echo()
    click.echo(f"\n{right} of {len(predictions.question)} right.")


def _answered(predictions: Predictions, number: int) -> bool:
    """Whether one of the answers was right; there are a few tries."""
    from grader.course.predictions import reply

    for _ in range(TRIES):
        answer = click.prompt("    your answer", default="", show_default=False)
        if not answer.strip():
            return False
        found = reply(predictions, number, answer)
        click.echo(f"    {found.words}")
        if found.right:
            return True
    return False
