"""Predict before you code: questions about small inputs, checked by hashes of the solution's answers.

The hashes keep nobody from trying all answers: predictions unlock nothing and cost nothing. They only keep a glance at
the file from telling the answer.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Any

import msgspec

from grader.course.manifest import Exercise
from grader.course.paths import Course
from grader.course.tables import read_table
from grader.errors import GraderError

FORMAT, FILE_NAME, ROUNDS = 1, "predict.toml", 10_000
PART = re.compile(r"-?\d+/\d+|-?(?:\d+(?:\.\d*)?|\.\d+)(?:e-?\d+)?|-?[a-z_]+")


class Question(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is asked, the expression that the solution answers, and what is said afterwards."""

    ask: str
    code: str
    answer: str  # a hash, written by `grader answers`
    why: str
    mistakes: dict[str, str] = {}  # wrong answers that tell what was misunderstood


class Predictions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    format: int
    salt: str
    question: tuple[Question, ...]


class Reply(msgspec.Struct, frozen=True):
    right: bool
    words: str


def path_of(course: Course, exercise: Exercise) -> Path:
    return course.folder(exercise) / FILE_NAME


def read_predictions(course: Course, exercise: Exercise) -> Predictions:
    path = path_of(course, exercise)
    if not path.is_file():
        raise GraderError(f"There are no questions about {exercise.name}: {path} is not there.")
    return read_table(path, Predictions, FORMAT)


def normal_form(answer: Any) -> str:
    """The same for all ways to write an answer: brackets, commas and capitals do not count, and two decimals do."""
    parts = []
    for part in PART.findall(str(answer).lower().replace("−", "-")):
        above, _, below = part.partition("/")
        try:
            value = float(above) / float(below or 1)
        except (ValueError, ZeroDivisionError):
            parts.append(part)
        else:
            parts.append(f"{value + 0.0:.2f}".replace("-0.00", "0.00"))
    return " ".join(parts) or "nothing"


def hashed(salt: str, number: int, answer: Any) -> str:
    """``number`` is the question's, from 1: equal answers to two questions have different hashes."""
    key = hashlib.pbkdf2_hmac("sha256", normal_form(answer).encode(), f"{salt}/{number}".encode(), ROUNDS)
    return key.hex()[:32]


def reply(predictions: Predictions, number: int, answer: Any) -> Reply:
    question = predictions.question[number - 1]
    if hashed(predictions.salt, number, answer) == question.answer:
        return Reply(right=True, words=f"Right. {question.why}")
    known = {normal_form(wrong): words for wrong, words in question.mistakes.items()}
    words = known.get(normal_form(answer), "Work it through by hand, as the handout does, and try again.")
    return Reply(right=False, words=f"Not what the solution says. {words}")
