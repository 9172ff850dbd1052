"""What students were given: whoever hands it in again has copied from nobody."""

from __future__ import annotations

import re

from grader.course import Course
from grader.course.stubs import course_stub
from grader.submissions.base import read_source
from grader.submissions.notebook import SUFFIX

_BLOCK = re.compile(r"^```[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)


def given_texts(course: Course) -> tuple[str, ...]:
    """Stubs, notebooks, public tests and helpers of all exercises, and the code in their handouts."""
    texts = []
    for path in course.public_files():
        if path.suffix == ".md":
            texts += _BLOCK.findall(path.read_text(encoding="utf-8", errors="replace"))
        elif path.suffix in (".py", SUFFIX):
            texts.append(read_source(path)[0].decode(errors="replace"))
    # in the folder of a course somebody may have worked: the stub as it is made from the solution is given, too
    texts += [course_stub(course, exercise) for exercise in course.exercises if course.solution(exercise).is_file()]
    return tuple(dict.fromkeys(texts))
