"""Who is in the class: a CSV with ``id, name, email, section``, or what Canvas, Moodle and Classroom 50 call these."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from pathlib import Path

import msgspec

from grader.errors import SubmissionError
from grader.submissions.base import HandIn
from grader.submissions.csv_table import read_rows

# The first heading that a row has a value for is the student's id; all of them are words to know a student by.
IDS = (
    "id", "student_id", "student id", "username", "user name", "login", "sis login id", "sis user id", "sid",
    "id number", "idnumber", "identifier", "participant", "github_id", "integration id", "matriculation number",
)  # fmt: skip
NAMES = ("name", "full name", "fullname", "student", "display name")
FIRST = ("first_name", "first name", "firstname", "given name")
LAST = ("last_name", "last name", "lastname", "surname", "family name")
EMAILS = ("email", "email address", "e-mail", "mail")
GROUPS = ("group", "team", "group_name", "group name")
NOBODY = ("points possible", "manual posting")  # rows of Canvas's own
GUARD = re.compile(r'^="(.*)"$')


class Person(msgspec.Struct, frozen=True, kw_only=True):
    """One row."""

    id: str
    name: str = ""
    email: str = ""
    section: str = ""
    group: str = ""
    words: frozenset[str] = frozenset()  # by which the student may be known elsewhere


class Roster:
    """The class; finds who a hand-in belongs to."""

    def __init__(self, people: Iterable[Person]) -> None:
        self.people = tuple(people)
        self.by_word: dict[str, set[str]] = {}
        self.by_id = {person.id: person for person in self.people}
        for person in self.people:
            for word in person.words:
                self.by_word.setdefault(word, set()).add(person.id)

    def find(self, hand_in: HandIn) -> Person | None:
        """By its id, then by the other words, each of which must mean one student only."""
        for word in (hand_in.student, *hand_in.aliases, hand_in.name):
            if word in self.by_id:
                return self.by_id[word]
            ids = self.by_word.get(key(word), set()) if key(word) else set()
            if len(ids) == 1:
                return self.by_id[next(iter(ids))]
        return None

    def group(self, hand_in: HandIn) -> tuple[Person, ...]:
        """The members of a group that handed in under its own name."""
        words = {key(word) for word in (hand_in.student, hand_in.name, *hand_in.aliases)} - {""}
        return tuple(person for person in self.people if person.group and key(person.group) in words)


def key(text: str) -> str:
    """A name or id without case, accents, spaces and signs: Canvas leaves no more of a name."""
    plain = unicodedata.normalize("NFKD", text).casefold()
    return "".join(character for character in plain if character.isalnum())


def read_roster(path: Path) -> Roster:
    people: dict[str, Person] = {}
    rows = read_rows(path, "roster")
    for number, row in enumerate(rows, start=2):
        person = _person(row)
        if person is None:
            continue
        if not person.id:
            raise SubmissionError(
                f"{path}: row {number} has no id. The roster needs a column `id` (or `username`, `SIS User ID`, …), "
                f"and may have `name`, `email`, `section`, `group`. It has: {', '.join(filter(None, row))}."
            )
        if person.id in people:
            raise SubmissionError(f"{path}: row {number}: {person.id!r} is there twice.")
        people[person.id] = person
    if not people:
        raise SubmissionError(f"{path}: the roster has no student.")
    return Roster(people.values())


def _person(row: dict[str, str]) -> Person | None:
    row = {heading: (found[1] if (found := GUARD.match(cell)) else cell) for heading, cell in row.items()}
    first, last = _first(row, FIRST), _first(row, LAST)
    name = _first(row, NAMES) or " ".join(filter(None, (first, last)))
    if key(name) in {key(nobody) for nobody in NOBODY}:
        return None
    ids = [row[heading] for heading in IDS if row.get(heading)]
    email = _first(row, EMAILS)
    turned = " ".join(reversed(name.split(","))) if "," in name else " ".join(reversed(name.split()))
    words = {key(word) for word in (*ids, email, email.partition("@")[0], name, turned, f"{last}{first}")}
    student = ids[0] if ids else email or name
    return Person(
        id=student,
        name=name,
        email=email,
        section=row.get("section", ""),
        group=_first(row, GROUPS),
        words=frozenset(words - {""}),
    )


def _first(row: dict[str, str], headings: Iterable[str]) -> str:
    return next((row[heading] for heading in headings if row.get(heading)), "")
