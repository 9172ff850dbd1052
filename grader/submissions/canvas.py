"""Canvas: "Download submissions" gives a zip of flat files, ``doejane_LATE_123_456_ctc-1.py``.

The name has lost everything but letters, so the two numbers in the middle tell where it ends. The first is the
student's id in Canvas. A text that was typed in, or a link, is a page.
"""

from __future__ import annotations

import re
from collections.abc import Collection

import msgspec

from grader.submissions.base import HandIn, Pile, Settings, Unused
from grader.submissions.folder import FolderLayout
from grader.submissions.tree import Member, Tree

NAMED = re.compile(r"^(?P<name>.*?)(?P<late>_LATE)?_(?P<id>\d+)_(?P<file>\d+)_(?P<rest>.+)$", re.DOTALL)
ANONYMOUS = re.compile(r"^(?P<late>LATE_)?anon_(?P<id>[A-Za-z0-9]+)_(?:(?P<file>\d+)_)?(?P<rest>.+)$", re.DOTALL)
TYPED = re.compile(r"^(?P<name>.*?)(?P<late>_LATE)?_(?P<id>\d+)_(?P<rest>(?:text|link)\.html)$", re.DOTALL)


def parse(top: str) -> dict[str, str] | None:
    """The parts of a name that Canvas made, or None."""
    found = ANONYMOUS.match(top) or TYPED.match(top) or NAMED.match(top)
    return {key: value or "" for key, value in found.groupdict().items()} if found else None


class CanvasLayout:
    """Flat files whose names tell the student."""

    name = "canvas"
    title = "Canvas, downloaded submissions"

    def fits(self, tree: Tree) -> float:
        tops = tree.work_tops()
        return sum(parse(name) is not None for name in tops) / len(tops) if tops else 0.0

    def read(self, tree: Tree, settings: Settings) -> Pile:
        files: dict[str, list[Member]] = {}
        about: dict[str, HandIn] = {}
        names = {top: found for top in tree.tops() if (found := parse(top)) is not None}
        for found in names.values():  # an archive that holds nothing has a name, too
            student = found["id"]
            if student not in about:
                about[student] = HandIn(student=student, name=found.get("name", ""), aliases=(found.get("name", ""),))
            if found["late"] and not about[student].notes:
                about[student] = msgspec.structs.replace(about[student], notes=("handed in late, says Canvas",))
        for member in tree.members:
            if found_name := names.get(member.parts[0]):
                files.setdefault(found_name["id"], []).append(member.called((found_name["rest"], *member.parts[1:])))
        hand_ins = [
            msgspec.structs.replace(hand_in, files=tuple(files.get(student, ())))
            for student, hand_in in sorted(about.items())
        ]
        return with_rest(tree, hand_ins, names, settings)


def with_rest(tree: Tree, hand_ins: list[HandIn], known: Collection[str], settings: Settings) -> Pile:
    """What is not named as the LMS does: folders may be students all the same, files are nobody's."""
    rest = tree.only([top for top in tree.tops() if top not in known])
    found = FolderLayout().read(rest, settings)
    odd = [
        msgspec.structs.replace(one, notes=(*one.notes, "does not look like the other submissions"))
        for one in found.hand_ins
    ]
    unused = [
        Unused(student="", file=one.file, reason=one.reason.replace("is no student's folder", "is nobody's submission"))
        for one in found.unused
    ]
    return Pile(hand_ins=(*hand_ins, *odd), unused=tuple(unused))
