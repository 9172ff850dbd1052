"""Our own zip of `grader submit`: ``hand_in.json`` says whose it is and when, beside the files as in the course.

Who hands in can write anything there. Where an LMS tells whose a file is, that counts.
"""

from __future__ import annotations

import msgspec

from grader.submissions.archives import archive_kind, stem
from grader.submissions.base import HandIn, Pile, Settings
from grader.submissions.canvas import with_rest
from grader.submissions.tree import MemberError, Tree, shown

HAND_IN = "hand_in.json"
MAX_HAND_IN = 1 << 16
MAX_GROUP = 20
FORMAT = 1


class HandInFile(msgspec.Struct, frozen=True, kw_only=True):
    """What the file says."""

    format: int
    student: str
    name: str = ""
    group: tuple[str, ...] = ()
    submitted_at: str | None = None
    attempt: int | None = None

    @property
    def members(self) -> tuple[str, ...]:
        """The ids of all who handed in together, first of all who did it."""
        ids = (shown(student.strip()) for student in (self.student, *self.group))
        return tuple(dict.fromkeys(student for student in ids if student))


class SubmitLayout:
    """One zip of ours, or a folder of them."""

    name = "submit"
    title = "zips of grader submit"

    def fits(self, tree: Tree) -> float:
        tops = tree.work_tops()
        if HAND_IN in tops:
            return 1.0
        ours = {m.parts[0] for m in tree.members if len(m.parts) == 2 and m.name == HAND_IN}
        share = len(ours) / len(tops) if tops else 0.0
        return 1.0 if share >= 0.5 else 0.4 * share

    def read(self, tree: Tree, settings: Settings) -> Pile:
        if HAND_IN in tree.tops():
            return Pile(hand_ins=_read(stem(tree.path.name), tree))
        found: list[HandIn] = []
        ours = {top: inside for top, inside in tree.split().items() if HAND_IN in inside.tops()}
        for top, inside in ours.items():
            found += _read(stem(top) if archive_kind(top) else top, inside)
        return with_rest(tree, found, ours, settings)


def _read(fallback: str, tree: Tree) -> tuple[HandIn, ...]:
    """One hand-in for each member of the group."""
    files = tuple(member for member in tree.members if member.parts != (HAND_IN,))
    said, problem = _said(tree)
    if said is None:
        return (HandIn(student=fallback, files=files, notes=(f"{HAND_IN} {problem}",)),)
    members = said.members
    return tuple(
        HandIn(
            student=member,
            files=files,
            name=shown(said.name) if member == members[0] else "",
            group=members if len(members) > 1 else (),
            submitted_at=said.submitted_at,
            attempt=said.attempt,
        )
        for member in members
    )


def _said(tree: Tree) -> tuple[HandInFile | None, str]:
    member = next(m for m in tree.members if m.parts == (HAND_IN,))
    try:
        said = msgspec.json.decode(member.read(MAX_HAND_IN), type=HandInFile)
    except (MemberError, msgspec.DecodeError) as error:
        return None, f"cannot be used ({error})"
    if said.format != FORMAT or not said.student.strip():
        return None, "is of another version, or names no student"
    if len(said.members) > MAX_GROUP:
        return None, f"names a group of more than {MAX_GROUP}"
    return said, ""
