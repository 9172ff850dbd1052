"""nbgrader: ``submitted/<student>/<assignment>/<notebook>.ipynb``, with the time in ``timestamp.txt``."""

from __future__ import annotations

import msgspec

from grader.submissions.archives import archive_kind
from grader.submissions.base import HandIn, Pile, Settings, Unused
from grader.submissions.canvas import with_rest
from grader.submissions.names import is_clutter_folder
from grader.submissions.tree import Member, MemberError, Tree

SUBMITTED = "submitted"
TIMESTAMP = "timestamp.txt"
OTHERS = {"source", "release", "autograded", "feedback", "gradebook.db", "nbgrader_config.py", SUBMITTED}


class NbgraderLayout:
    """The folder of a course of nbgrader's, or its ``submitted``."""

    name = "nbgrader"
    title = "an nbgrader course"

    def fits(self, tree: Tree) -> float:
        tops = tree.work_tops()
        if SUBMITTED in tops and tree.is_folder(SUBMITTED):
            return 1.0 if len(tops) == 1 or OTHERS & (set(tops) - {SUBMITTED}) else 0.6
        stamped = {m.parts[0] for m in tree.members if len(m.parts) == 3 and m.name == TIMESTAMP}
        return len(stamped) / len(tops) if tops else 0.0

    def read(self, tree: Tree, settings: Settings) -> Pile:
        unused: tuple[Unused, ...] = ()
        if SUBMITTED in tree.tops():
            unused = tuple(
                Unused(student="", file=name, reason="belongs to nbgrader, and is no submission")
                for name in tree.tops()
                if name != SUBMITTED
            )
            tree = tree.split()[SUBMITTED]
        hand_ins: list[HandIn] = []
        folders = {top: inside for top, inside in tree.split().items() if not archive_kind(top)}
        for student, inside in folders.items():
            if is_clutter_folder(student):
                continue
            times = [time for m in inside.members if m.name == TIMESTAMP and (time := _timestamp(m))]
            files = tuple(m for m in inside.members if m.name != TIMESTAMP)
            hand_ins.append(HandIn(student=student, files=files, submitted_at=max(times, default=None)))
        rest = with_rest(tree, hand_ins, folders, settings)
        return msgspec.structs.replace(rest, unused=(*unused, *rest.unused))


def _timestamp(member: Member) -> str:
    """ "2026-11-18 10:00:00.5 UTC" as it stands; ISO 8601 begins alike."""
    try:
        text = member.read(200).decode(errors="replace").strip()
    except MemberError:
        return ""
    date, _, rest = text.partition(" ")
    clock, _, zone = rest.partition(" ")
    return f"{date}T{clock}{'+00:00' if zone == 'UTC' else zone}" if clock else text
