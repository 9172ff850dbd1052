"""``exercises/<name>/known_mistakes.json``: what known mistakes answer in the public tests, as students get it.

It holds wrong answers alone: no edit, no right answer. ``grader diagnoses`` writes it, ``grader validate`` proves it.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import msgspec

from grader.course.manifest import Exercise
from grader.course.misconceptions import load_misconceptions
from grader.course.paths import Course
from grader.errors import GraderError

FILE_NAME = "known_mistakes.json"
FORMAT = 1


class WrongAnswer(msgspec.Struct, frozen=True, array_like=True):
    """One call of a test that a mistake answers wrongly: the parts of the answer that are wrong."""

    call: int  # its number in the test
    function: str
    weight: int
    parts: dict[str, Any]


class WrongTest(msgspec.Struct, frozen=True, array_like=True):
    """One failed test of a criterion: how many calls it made until it failed, and which answers were wrong."""

    number: int  # among the tests of the criterion
    calls: int
    wrong: tuple[WrongAnswer, ...]


class KnownMistake(msgspec.Struct, frozen=True, kw_only=True):
    """A mistake that shows in public tests."""

    id: str
    idea: str = ""
    explanation: str
    hint: str
    criteria: dict[str, tuple[WrongTest, ...]]  # those that it fails


class KnownMistakes(msgspec.Struct, frozen=True, kw_only=True):
    """Those of one exercise."""

    format: int
    made_of: str = ""  # a hash of what decides about it: public suite, bank, solution, what these build on
    mistakes: tuple[KnownMistake, ...] = ()


def digest_of(course: Course, exercise: Exercise) -> str:
    """The hash that an up-to-date file has; of the bank what it costs and what catches it make no difference."""
    paths = (course.public_suite(exercise), course.solution(exercise))
    found = hashlib.sha256(str(FORMAT).encode())
    if course.bank(exercise).is_file():
        for mistake in load_misconceptions(course.bank(exercise)):
            found.update(msgspec.json.encode(msgspec.structs.replace(mistake, severity=1, costs_more="", caught_by=())))
    for path in (*paths, *map(course.stand_in, exercise.builds_on)):
        found.update(b"\0" + (path.read_bytes() if path.is_file() else b""))
    return found.hexdigest()[:16]


def without_words(content: bytes) -> bytes:
    """The file without names, explanations and hints, which students get on purpose."""
    found = msgspec.json.decode(content, type=KnownMistakes)
    nameless = {"id": "", "idea": "", "explanation": "", "hint": ""}
    bare = tuple(msgspec.structs.replace(mistake, **nameless) for mistake in found.mistakes)
    return as_text(msgspec.structs.replace(found, mistakes=bare)).encode()


def known_mistakes_file(course: Course, exercise: Exercise) -> Path:
    return course.folder(exercise) / FILE_NAME


def read_known_mistakes(course: Course, exercise: Exercise) -> KnownMistakes:
    """The file of an exercise; without one no mistake is known."""
    path = known_mistakes_file(course, exercise)
    if not path.is_file():
        return KnownMistakes(format=FORMAT)
    try:
        found = msgspec.json.decode(path.read_bytes(), type=KnownMistakes)
    except msgspec.DecodeError as error:
        raise GraderError(f"{path}: {error}. Get a fresh copy of the course.") from error
    if found.format != FORMAT:
        raise GraderError(f"{path}: format: found {found.format}, this grader reads {FORMAT}.")
    return found


def as_text(known: KnownMistakes) -> str:
    """The file: a line for each mistake, so that a change is easy to see."""
    lines = [msgspec.json.encode(mistake).decode() for mistake in known.mistakes]
    body = ",\n".join(lines)
    return f'{{"format":{known.format},"made_of":"{known.made_of}","mistakes":[\n{body}\n]}}\n'
