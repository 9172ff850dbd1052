"""Our own zip of `grader submit`: ``hand_in.json`` says whose it is and when, beside the files as in the course.

Who hands in can write anything there. Where an LMS tells whose a file is, that counts.
"""

from __future__ import annotations

import msgspec

from grader.submissions.archives import archive_kind, stem
from grader.submissions.base import HandIn, Pile, Settings
from grader.submissions.canvas import with_rest
from grader.submissions.hand_in import FORMAT, HAND_IN, MAX_GROUP, MAX_HAND_IN, HandInFile, digest
from grader.submissions.limits import MAX_NOTEBOOK
from grader.submissions.tree import Member, MemberError, Tree, shown

SHOWN = 3  # files that one note names


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
    members, notes = said.members, _differences(said, files)
    return tuple(
        HandIn(
            student=member,
            files=files,
            name=shown(said.name) if member == members[0] else "",
            group=members if len(members) > 1 else (),
            submitted_at=said.submitted_at,
            attempt=said.attempt,
            notes=notes,
        )
        for member in members
    )


def _differences(said: HandInFile, files: tuple[Member, ...]) -> tuple[str, ...]:
    """What is not as it was packed; it counts all the same."""
    there = {"/".join(member.parts): member for member in files}
    lost = [path for path in said.files if path not in there]
    changed = [path for path, packed in said.files.items() if path in there and not _is_same(there[path], packed)]
    notes = []
    for paths, words in ((lost, "packed, and not there any more"), (changed, "not as it was packed")):
        if paths:
            more = f" and {len(paths) - SHOWN} more" if len(paths) > SHOWN else ""
            notes.append(f"{words}: {', '.join(map(shown, paths[:SHOWN]))}{more}")
    return tuple(notes)


def _is_same(member: Member, packed: str) -> bool:
    try:
        return digest(member.read(MAX_NOTEBOOK)) == packed
    except MemberError:
        return True  # whoever needs it says why it cannot be read


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
