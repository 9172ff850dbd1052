"""``predict`` for notebooks; the command ``grader predict`` asks the same questions in a terminal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from grader.course.predictions import read_predictions, reply
from grader.errors import GraderError
from grader.student.notebook import notebook_course


def predict(exercise: str, number: int | None = None, answer: Any = None) -> None:
    """For notebooks: ``predict("ctc")`` prints the questions, ``predict("ctc", 1, [1, 1])`` answers the first."""
    course = notebook_course(Path.cwd())
    predictions = read_predictions(course, course.exercise(exercise))
    if number is None:
        for place, question in enumerate(predictions.question, start=1):
            print(f"{place}. {question.ask}")
        print(f'To answer the first, run in a cell of your own: predict("{exercise}", 1, your answer)')
    elif not 1 <= number <= len(predictions.question):
        raise GraderError(f"There is no question {number}: they are 1 to {len(predictions.question)}.")
    else:
        print(reply(predictions, number, answer).words)
