"""A folder of cloned repositories, one per student: the last commit before the due date counts.

Where there is no ``.git`` that can be read, the files that lie there count. The time of a commit is what its author's
machine said, so it proves nothing.
"""

from __future__ import annotations

import datetime

import msgspec

from grader.submissions import limits
from grader.submissions.archives import Opened
from grader.submissions.base import HandIn, Pile, Settings
from grader.submissions.folder import FolderLayout
from grader.submissions.git import Commit, Repository, blob_name
from grader.submissions.names import exercise_of
from grader.submissions.pile import with_archives
from grader.submissions.tree import Member, MemberError, Parts, Tree


class RepositoriesLayout:
    """Folders with a ``.git``."""

    name = "repositories"
    title = "cloned repositories"

    def fits(self, tree: Tree) -> float:
        tops = tree.work_tops()
        share = sum((name,) in tree.repositories for name in tops) / len(tops) if tops else 0.0
        return 1.0 if share >= 0.5 else 0.4 * share

    def read(self, tree: Tree, settings: Settings) -> Pile:
        pile = FolderLayout().read(tree, settings)
        trees = tree.split()
        opened = Opened()
        hand_ins = [
            _of_commit(one, files, settings, opened)
            if one.attempt is None and one.student in trees and (files := trees[one.student].repositories.get(()))
            else msgspec.structs.replace(one, notes=(*one.notes, "has no .git: the files that lie there count"))
            for one in pile.hand_ins
        ]
        return Pile(hand_ins=tuple(hand_ins), unused=pile.unused)


def _of_commit(work_tree: HandIn, git: tuple[Member, ...], settings: Settings, opened: Opened) -> HandIn:
    repository = Repository({"/".join(member.parts[1:]): member for member in git})
    try:
        commit = repository.last_commit(settings.due)
        if commit is None:
            when = _iso(settings.due or 0)
            return msgspec.structs.replace(work_tree, files=(), problem=f"no commit is older than {when}")
        found = list(repository.members(commit))
    except MemberError as error:
        note = f".git {error}: the files that lie there count"
        return msgspec.structs.replace(work_tree, notes=(*work_tree.notes, note))
    top = work_tree.student
    placed = (msgspec.structs.replace(member, parts=(top, *member.parts)) for member, _ in found)
    files = tuple(member.below(1) for member in with_archives(placed, opened))
    notes, doubts = _compare(work_tree, {member.parts: content for member, content in found}, settings, commit)
    return msgspec.structs.replace(
        work_tree,
        files=files,
        submitted_at=_iso(commit.time),
        notes=(*work_tree.notes, f"commit {commit.id[:7]} counts", *notes),
        problem=doubts,
    )


def _compare(
    work_tree: HandIn, committed: dict[Parts, str], settings: Settings, commit: Commit
) -> tuple[list[str], str]:
    """What lies in the work tree and is not so in the commit, as notes; and the same as a doubt.

    Somebody may have worked in a clone of the course, and have committed nothing.
    """
    notes, absent = [], []
    if settings.due is not None:  # then the two differ on purpose
        return [], ""
    for member in work_tree.files:
        if member.problem or not exercise_of(member.name, settings.exercises)[0]:
            continue
        if member.in_archive:  # then the archive is what was committed
            if not any(member.parts[:steps] in committed for steps in range(1, len(member.parts))):
                absent.append(member.path)
            continue
        try:
            content = member.read(limits.MAX_NOTEBOOK)
        except MemberError:
            continue
        name = committed.get(member.parts)
        if name is None:
            absent.append(member.path)
        elif name not in (blob_name(content), blob_name(content.replace(b"\r\n", b"\n"))):
            notes.append(f"{member.path} has changed since commit {commit.id[:7]}, which counts")
    doubts = [*notes, *([f"{', '.join(absent[:3])} is in no commit"] if absent else [])]
    return notes, f"{', '.join(doubts[:3])} (--layout folder takes the files that lie there)" if doubts else ""


def _iso(seconds: float) -> str:
    try:
        return datetime.datetime.fromtimestamp(seconds, datetime.UTC).isoformat(timespec="seconds")
    except (ValueError, OverflowError, OSError):  # anybody can write any time into a commit
        return f"{seconds:.0f} seconds after 1970"
