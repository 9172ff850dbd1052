"""One folder, or one archive, per student: ``s01/ctc.py``, ``s01/exercises/ctc/ctc.py``, ``s01.zip``."""

from __future__ import annotations

import re

from grader.submissions.archives import archive_kind, stem
from grader.submissions.base import HandIn, Pile, Settings, Unused
from grader.submissions.names import exercise_of
from grader.submissions.tree import Member, Tree

FITS = 0.5  # of a folder per student one can never be sure
RESULTS = "journal.sqlite"  # lies in a folder that `grader grade --out` made
ATTEMPT = re.compile(r"^(?:attempt|submission|try|versuch|abgabe)[ _-]*(\d{1,4})$", re.IGNORECASE)


class FolderLayout:
    """One folder per student."""

    name = "folder"
    title = "one folder per student"

    def fits(self, tree: Tree) -> float:
        tops = tree.work_tops()
        unread = {member.name for member in tree.members if len(member.parts) == 1 and member.problem}  # such as links
        folders = [name for name in tops if tree.is_folder(name) or name in unread]
        return FITS * len(folders) / len(tops) if tops else 0.0

    def read(self, tree: Tree, settings: Settings) -> Pile:
        hand_ins: list[HandIn] = []
        unused: list[Unused] = []
        alone = {member.name: member for member in tree.members if len(member.parts) == 1}
        trees = tree.split()
        for name in tree.work_tops():
            inside = trees.get(name)
            if inside is None:
                hand_ins += self.alone(alone[name], settings, unused)
            elif any(member.parts == (RESULTS,) for member in inside.members):
                unused.append(Unused(student="", file=name, reason="is a folder of results, and no student"))
            else:
                hand_ins += of_folder(name, inside, alone.get(name))
        return Pile(hand_ins=tuple(hand_ins), unused=tuple(unused))

    def alone(self, member: Member, settings: Settings, unused: list[Unused]) -> list[HandIn]:
        """A file where folders are expected: a link may be a student's folder, an archive surely is."""
        name = member.name
        if member.problem or archive_kind(name):
            return [HandIn(student=stem(name), files=(member,))]
        why = "lies beside the students' folders, so nobody knows whose it is"
        known = exercise_of(name, settings.exercises)[0]
        unused.append(Unused(student="", file=member.path, reason=why if known else "is no student's folder"))
        return []


def of_folder(name: str, inside: Tree, archive: Member | None) -> list[HandIn]:
    """What lies in a student's folder; folders called ``attempt 2`` are attempts.

    ``archive`` is what stood there, if it is an archive that could not be read to its end.
    """
    student = stem(name) if archive_kind(name) else name
    attempts = {top: int(found[1]) for top in inside.tops() if (found := ATTEMPT.match(top)) and inside.is_folder(top)}
    if attempts and len(attempts) == len(inside.work_tops()):
        return [
            HandIn(
                student=student,
                files=tuple(m.called(m.parts[1:] or m.parts) for m in inside.members if m.parts[0] == top),
                attempt=number,
            )
            for top, number in sorted(attempts.items(), key=lambda item: item[1])
        ]
    return [HandIn(student=student, files=(*inside.members, *([archive] if archive else [])))]
