"""``grader answers``: the solution's answers to the questions of predict.toml, as salted hashes."""

from __future__ import annotations

import re

from grader.authoring.stubs import write_if_changed
from grader.course import Course, Exercise
from grader.course.predictions import path_of
from grader.validation.predictions import right_answers

LINE = re.compile(r'^answer = ".*"$', re.MULTILINE)


def write_answers(course: Course, exercise: Exercise, *, only_check: bool = False) -> bool:
    """Write the hashes into the file; True if that changed (or would change) it. No file: nothing to do."""
    path = path_of(course, exercise)
    if not path.is_file():
        return False
    answers = iter(right_answers(course, exercise))
    text = LINE.sub(lambda _: f'answer = "{next(answers)}"', path.read_text(encoding="utf-8"))
    return write_if_changed(path, text, only_check=only_check)
