"""Moodle: "Download all submissions" gives ``Jane Doe_123_assignsubmission_file/ctc.py``, or the same without folders.

A team is ``Group A_45_…``, the default team has no number, and with blind marking the name is ``Participant 123``.
"""

from __future__ import annotations

import re

import msgspec

from grader.submissions.base import HandIn, Pile, Settings
from grader.submissions.canvas import with_rest
from grader.submissions.tree import Member, Tree

MARK = "_assignsubmission_"
NAMED = re.compile(r"^(?P<name>.+?)(?:_(?P<id>\d+))?_assignsubmission_(?P<kind>[a-z]+)(?:_(?P<rest>.*))?$", re.DOTALL)
BLIND = re.compile(r"^Participant[_ ](\d+)$", re.IGNORECASE)


class MoodleLayout:
    """Folders or files whose names tell the student."""

    name = "moodle"
    title = "Moodle, downloaded submissions"

    def fits(self, tree: Tree) -> float:
        tops = tree.work_tops()
        return sum(MARK in name for name in tops) / len(tops) if tops else 0.0

    def read(self, tree: Tree, settings: Settings) -> Pile:
        files: dict[str, list[Member]] = {}
        about: dict[str, HandIn] = {}
        names = {top: found for top in tree.tops() if (found := NAMED.match(top))}
        for member in tree.members:
            found = names.get(member.parts[0])
            if found is None:
                continue
            hand_in = _about(found["name"], found["id"] or "")
            about.setdefault(hand_in.student, hand_in)
            flat = (found["rest"],) if found["rest"] else ()
            inner = (*flat, *member.parts[1:]) or (f"{found['kind']}.html",)
            files.setdefault(hand_in.student, []).append(member.called(inner))
        for found in names.values():  # somebody may have handed in nothing
            hand_in = _about(found["name"], found["id"] or "")
            about.setdefault(hand_in.student, hand_in)
        hand_ins = [
            msgspec.structs.replace(hand_in, files=tuple(files.get(student, ())))
            for student, hand_in in sorted(about.items())
        ]
        return with_rest(tree, hand_ins, names, settings)


def _about(name: str, number: str) -> HandIn:
    if blind := BLIND.match(name):
        return HandIn(student=blind[1], aliases=(f"Participant {blind[1]}",))
    if BLIND.match(f"{name}_{number}"):
        return HandIn(student=number, aliases=(f"Participant {number}",))
    numbered = (f"Participant {number}", f"{name} {number}") if number else ()
    return HandIn(student=number or name, name=name, aliases=(name, *numbered))
