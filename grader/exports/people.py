"""Who of the results is who in a teacher's file.

An id counts more than a name, and a name counts only if nobody else has it: a grade in the wrong row is worse than one
that is missing, because nobody notices it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence

import msgspec

from grader.exports.base import shown
from grader.results.schema import GradedStudent, Results
from grader.text import printable_line


class Person(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody who gets a grade: a student, or one member of a group."""

    id: str
    name: str
    student: GradedStudent

    @property
    def shown(self) -> str:
        if self.id == self.student.id:
            return shown(self.student)
        return f"{printable_line(self.id, 60)} of the group {shown(self.student)}"


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """A row of the file: its ids, the one that counts most first, and the ways to write the name."""

    row: int
    ids: tuple[str, ...]
    names: tuple[str, ...]
    shown: str


class Matches(msgspec.Struct, frozen=True, kw_only=True):
    found: tuple[tuple[Person, Entry], ...]
    not_found: tuple[str, ...]  # people of the results, each with the reason
    left: tuple[Entry, ...]  # rows for which the results have nobody
    remarks: tuple[str, ...]


def people_of(results: Results) -> list[Person]:
    """Everybody once: who has a result of their own does not get that of a group, too."""
    own = {student.id for student in results.students}
    return [
        Person(id=member, name=student.name if member == student.id else "", student=student)
        for student in results.students
        for member in dict.fromkeys(student.group or (student.id,))
        if member == student.id or member not in own
    ]


def match(people: Sequence[Person], entries: Sequence[Entry], *, trust_ids: bool = True) -> Matches:
    """``trust_ids`` says whether an id is enough where the names are not the same."""
    by_id = [_index((entry.ids[level], entry) for entry in entries) for level in range(_levels(entries))]
    by_name = _index((plain_name(name), entry) for entry in entries for name in entry.names)
    claims: dict[int, list[tuple[Person, Entry, bool]]] = {}
    not_found = []
    for person in people:
        candidates, surely = _candidates(person, by_id, by_name)
        if len(candidates) == 1:
            claims.setdefault(candidates[0].row, []).append((person, candidates[0], surely))
        elif candidates:
            not_found.append(f"{person.shown}: {len(candidates)} rows of the file fit, so none is filled")
        else:
            not_found.append(person.shown)
    found, remarks = [], []
    for claim in claims.values():
        sure = [one for one in claim if one[2]]
        chosen = sure if len(sure) == 1 else claim
        if len(chosen) > 1:
            others = ", ".join(person.shown for person, _, _ in chosen)
            not_found += [f"{person.shown}: several want the same row ({others})" for person, _, _ in chosen]
            continue
        not_found += [person.shown for person, _, surely in claim if not surely and chosen == sure]
        person, entry, surely = chosen[0]
        if surely and person.name and not _same_name(person.name, entry):
            name = printable_line(person.name, 60)
            if not trust_ids:
                not_found.append(f"{person.shown}: the row with this id is that of {entry.shown}")
                continue
            remarks.append(f"{entry.shown}: the id is that of {person.id}, but the results call the student {name}.")
        found.append((person, entry))
    taken = {entry.row for _, entry in found}
    left = tuple(entry for entry in entries if entry.row not in taken)
    return Matches(found=tuple(found), not_found=tuple(not_found), left=left, remarks=tuple(remarks))


def plain_name(name: str) -> str:
    """The letters and digits of a name, as Canvas keeps them in the names of files."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    return "".join(character for character in folded if character.isalnum())


def both_orders(name: str) -> tuple[str, ...]:
    """``Doe, Jane`` is ``Jane Doe``, too, and the other way round."""
    last, comma, first = name.partition(",")
    if not comma:
        first, _, last = name.rpartition(" ")
        return (name, f"{last} {first}") if first else (name,)
    return name, f"{first} {last}"


def _levels(entries: Sequence[Entry]) -> int:
    return max((len(entry.ids) for entry in entries), default=0)


def _index(pairs: Iterable[tuple[str, Entry]]) -> dict[str, list[Entry]]:
    index: dict[str, list[Entry]] = {}
    for key, entry in pairs:
        known = index.setdefault(key.strip().casefold(), [])
        if key.strip() and entry not in known:
            known.append(entry)
    return index


def _candidates(
    person: Person, by_id: Sequence[dict[str, list[Entry]]], by_name: dict[str, list[Entry]]
) -> tuple[list[Entry], bool]:
    """The rows that this person may have, and whether an id says so."""
    for index in by_id:
        if candidates := index.get(person.id.strip().casefold()):
            return candidates, True
    for name in (person.name, person.id):
        for way in both_orders(name):
            if candidates := by_name.get(plain_name(way)):
                return candidates, False
    return [], False


def _same_name(name: str, entry: Entry) -> bool:
    own = {plain_name(way) for way in both_orders(name)}
    return not entry.names or bool(own & {plain_name(other) for other in entry.names})
