"""What students were given: whoever hands it in again has copied from nobody."""

from __future__ import annotations

import re
from pathlib import Path

from grader.course import Course
from grader.course.stubs import course_stub
from grader.submissions.base import read_source
from grader.submissions.notebook import SUFFIX

UNDONE = "raise NotImplementedError"
_BLOCK = re.compile(r"^```[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)


def given_texts(course: Course) -> tuple[str, ...]:
    """Stubs, notebooks, public tests and helpers of all exercises, and the code in their handouts."""
    texts = []
    worked_on = set()  # in the folder of a course somebody may have worked, and that was not given
    for exercise in course.exercises:
        if course.solution(exercise).is_file():
            stub = course_stub(course, exercise)
            texts.append(stub)
            files = (course.module(exercise), course.notebook(exercise))
            worked_on |= {path for path in files if path.is_file() and _text(path).count(UNDONE) < stub.count(UNDONE)}
    for path in course.public_files():
        if path.suffix == ".md":
            texts += _BLOCK.findall(path.read_text(encoding="utf-8", errors="replace"))
        elif path.suffix in (".py", SUFFIX) and path not in worked_on:
            texts.append(_text(path))
    return tuple(dict.fromkeys(texts))


def _text(path: Path) -> str:
    return read_source(path)[0].decode(errors="replace")
