"""What the course tells about files that students hand in: names, stubs, and what each exercise asks for."""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from grader.course import Course
from grader.course.stubs import course_stub
from grader.submissions.base import read_source
from grader.submissions.names import defined_names

COMMENT = re.compile(rb"^[ \t\f]*#[^\n]*", re.MULTILINE)  # on a line of its own


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of one exercise."""

    name: str
    files: tuple[str, ...]  # the module, and others that belong to it
    optional: bool
    stubs: tuple[str, ...]  # the words of everything that students start from
    names: frozenset[str]  # functions and classes that the stub has


class Catalogue(msgspec.Struct, frozen=True, kw_only=True):
    """All exercises of the course, by name."""

    exercises: dict[str, Wanted]

    def other_names(self, name: str) -> frozenset[str]:
        """The functions and classes that other exercises ask for."""
        return frozenset[str]().union(*(e.names for e in self.exercises.values() if e.name != name))


def words_of(code: bytes) -> str:
    """What is written in a module beside comments: two files with the same words are the same work."""
    return " ".join(COMMENT.sub(b"", code).decode(errors="replace").split())


def make_catalogue(course: Course) -> Catalogue:
    """From the solutions, or where there are none from the stubs as they lie there."""
    found = {}
    for exercise in course.exercises:
        here = [read_source(path)[0] for path in (course.module(exercise), course.notebook(exercise)) if path.is_file()]
        if course.solution(exercise).is_file():
            stub = course_stub(course, exercise).encode()
            stubs = _untouched([stub, *here], stub)
        else:
            stub = here[0] if here else b""
            stubs = here
        found[exercise.name] = Wanted(
            name=exercise.name,
            files=exercise.files,
            optional=exercise.optional,
            stubs=tuple(dict.fromkeys(words_of(text) for text in stubs)),
            names=defined_names(stub),
        )
    return Catalogue(exercises=found)


def _untouched(texts: Iterable[bytes], stub: bytes) -> list[bytes]:
    """Those that still are the stub: in the course's own folder somebody may have worked."""
    marker = re.compile(rb"raise NotImplementedError")
    return [text for text in texts if text == stub or len(marker.findall(text)) >= len(marker.findall(stub))]
