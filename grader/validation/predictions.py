"""The questions of predict.toml: what the solution answers, and the proof that the file has these answers."""

from __future__ import annotations

from typing import Any

from grader.course import Course, Exercise
from grader.course.predictions import Predictions, hashed, normal_form, path_of, read_predictions
from grader.errors import GraderError
from grader.validation.records import Proof
from grader.wire.messages import Load
from grader.worker.executor import Executor, StudentError


def solution_answers(course: Course, exercise: Exercise) -> list[Any]:
    """The value of each question's code, where the solution's names are known."""
    names = (exercise.name, *exercise.builds_on)
    paths = {name: course.solution(course.exercise(name)) for name in names}
    sources = {name: (str(path), path.read_bytes()) for name, path in paths.items()}
    executor = Executor(Load(name=exercise.name, sources=sources), lambda number, args: None)
    try:
        executor.load()
    except StudentError as error:
        raise GraderError(f"{paths[exercise.name]}: cannot be run ({error.failure}).") from error
    found = []
    for number, question in enumerate(read_predictions(course, exercise).question, start=1):
        try:
            found.append(eval(question.code, dict(vars(executor.module))))  # noqa: S307 the author's text, at the author's
        except Exception as error:
            place = f"{path_of(course, exercise)}, question {number}"
            raise GraderError(f"{place}: the solution cannot answer {question.code!r} ({error!r}).") from error
    return found


def right_answers(course: Course, exercise: Exercise) -> list[str]:
    predictions = read_predictions(course, exercise)
    answers = solution_answers(course, exercise)
    return [hashed(predictions.salt, number, answer) for number, answer in enumerate(answers, start=1)]


def prove_predictions(course: Course, exercise: Exercise) -> Proof:
    """Three to five questions, with the solution's answers; what is called a mistake is not the right answer."""
    predictions = read_predictions(course, exercise)
    try:
        problems = _problems(predictions, solution_answers(course, exercise))
    except GraderError as error:
        problems = [str(error).replace(f"{course.root}/", "")]
    if not 3 <= len(predictions.question) <= 5:
        problems.append(f"There are {len(predictions.question)} questions; three to five are asked for.")
    return Proof(
        claim="Predictions have the solution's answers",
        finding=f"{len(predictions.question)} questions",
        problems=tuple(problems),
        remedy=f"Mend exercises/{exercise.name}/predict.toml.",
    )


def _problems(predictions: Predictions, answers: list[Any]) -> list[str]:
    problems = []
    for number, (question, answer) in enumerate(zip(predictions.question, answers, strict=True), start=1):
        if question.answer != hashed(predictions.salt, number, answer):
            problems.append(f"Question {number} has another answer than the solution: run `grader answers`.")
        if normal_form(answer) in map(normal_form, question.mistakes):
            problems.append(f"Question {number} calls the right answer a mistake.")
    return problems
