"""The solution of an exercise and its known mistakes, compiled: what a student's answers are compared with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import CodeType

import msgspec

from grader.course import Course, Exercise
from grader.course.misconceptions import Misconception, apply_misconception, load_misconceptions
from grader.errors import MisconceptionError


class Mistake(msgspec.Struct, frozen=True):
    """A known mistake, ready to run; or several at once."""

    ids: tuple[str, ...]
    caught_by: frozenset[str]
    code: CodeType


class Suspects(msgspec.Struct, frozen=True, kw_only=True):
    """The solution of an exercise, its known mistakes, and the modules that they import."""

    exercise: str
    forbidden: tuple[str, ...]
    file: Path
    bank: Path
    source: str
    entries: Mapping[str, Misconception]
    solution: CodeType
    mistakes: tuple[Mistake, ...]
    others: Mapping[str, CodeType]

    def idea_of(self, id_: str) -> str:
        """The mistake of which this one is the same idea in another place; or itself."""
        return self.entries[id_].idea or id_

    def together(self, mistakes: Sequence[Mistake]) -> Mistake | None:
        """All of them in one program; None where their edits do not fit together."""
        ids = tuple(id_ for mistake in mistakes for id_ in mistake.ids)
        for order in (ids, ids[::-1]):
            text = self.source
            try:
                for id_ in order:
                    text = apply_misconception(self.entries[id_], text, self.bank)
            except MisconceptionError:
                continue
            caught_by = frozenset().union(*(mistake.caught_by for mistake in mistakes))
            return Mistake(ids, caught_by, compile(text, self.file.name, "exec", dont_inherit=True))
        return None


def load_suspects(course: Course, exercise: Exercise) -> Suspects | None:
    """The bank of an exercise, compiled; None if it has none."""
    bank = course.bank(exercise)
    if not bank.is_file():
        return None
    file = course.solution(exercise)
    source = file.read_text(encoding="utf-8")

    def compiled(text: str | bytes, name: str) -> CodeType:
        return compile(text, name, "exec", dont_inherit=True)

    entries = load_misconceptions(bank)
    return Suspects(
        exercise=exercise.name,
        forbidden=exercise.forbidden,
        file=file,
        bank=bank,
        source=source,
        entries={entry.id: entry for entry in entries},
        solution=compiled(source, file.name),
        mistakes=tuple(
            Mistake(
                (entry.id,), frozenset(entry.caught_by), compiled(apply_misconception(entry, source, bank), file.name)
            )
            for entry in entries
        ),
        others={name: compiled(course.stand_in(name).read_bytes(), f"{name}.py") for name in exercise.builds_on},
    )
