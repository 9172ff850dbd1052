"""From a path to the tree of everything that lies there, archives in it opened."""

from __future__ import annotations

import io
from collections.abc import Iterable
from pathlib import Path
from typing import IO

import msgspec

from grader.errors import SubmissionError
from grader.submissions import limits
from grader.submissions.archives import FOLDER, Open, Opened, archive_kind, read_archive
from grader.submissions.names import is_clutter_folder
from grader.submissions.tree import CLUTTER, Member, MemberError, Parts, Tree, unreadable, walk_folder

HEADS = {b"PK": "zip", b"\x1f\x8b": "tar", b"BZ": "tar", b"\xfd7": "tar"}


class _Budget:
    """What may still be opened inside one archive of a student's: many small archives are a bomb as well as a large."""

    def __init__(self) -> None:
        self.archives = limits.MAX_ARCHIVES
        self.bytes = limits.MAX_INSIDE
        self.files = limits.MAX_MEMBERS_NESTED

    def take_archive(self, size: int) -> None:
        self.archives -= 1
        self.bytes -= size
        if self.archives < 0:
            raise MemberError(f"is one of more than {limits.MAX_ARCHIVES} archives in one, and was not opened")
        if self.bytes < 0:
            raise MemberError(f"is too much: archives in one may have {limits.MAX_INSIDE} bytes together")

    def take_file(self) -> None:
        self.files -= 1
        if self.files < 0:
            raise MemberError(f"holds more than {limits.MAX_MEMBERS_NESTED} files, with the archives around it")


class _Collector:
    """Takes files as they come, and opens the archives among them."""

    def __init__(self, opened: Opened) -> None:
        self.opened = opened
        self.budget: _Budget | None = None  # while something is read inside an archive of a student's
        self.taken: set[Parts] = set()
        self.copies: dict[Parts, int] = {}
        self.members: list[Member] = []
        self.folders: set[Parts] = set()
        self.git: dict[Parts, list[Member]] = {}

    def add_all(self, members: Iterable[Member], depth: int) -> None:
        for member in members:
            if self.budget is not None:
                self.budget.take_file()
            self.add(member, depth)

    def add(self, member: Member, depth: int) -> None:
        if len(self.members) > limits.MAX_MEMBERS:
            raise SubmissionError(f"There are more than {limits.MAX_MEMBERS} files. Give a smaller part of them.")
        if ".git" in member.parts:
            self.add_git(member)
            return
        if member.problem != FOLDER:
            member = self.own(member)
        parts = member.parts
        for step in range(1, len(parts)):
            self.folders.add(parts[:step])
        if member.problem == FOLDER:
            self.folders.add(parts)
            return
        kind = archive_kind(member.name)
        if not kind or member.problem or any(is_clutter_folder(step) for step in parts):
            self.members.append(member)
        elif depth > limits.MAX_DEPTH:
            self.members.append(unreadable(parts, f"is an archive in more than {limits.MAX_DEPTH} archives"))
        else:
            self.open(member, kind, depth)

    def own(self, member: Member) -> Member:
        """An archive may hold two files of one name; they stay two, and the later is the newer copy."""
        parts = member.parts
        while parts in self.taken:
            number = self.copies[member.parts] = self.copies.get(member.parts, 1) + 1
            name, dot, ending = member.name.rpartition(".")
            own = f"{name} ({number}){dot}{ending}" if name else f"{member.name} ({number})"
            parts = (*member.parts[:-1], own)
        self.taken.add(parts)
        return member if parts == member.parts else msgspec.structs.replace(member, parts=parts)

    def add_git(self, member: Member) -> None:
        at = member.parts.index(".git")
        for step in range(1, at + 1):
            self.folders.add(member.parts[:step])
        self.git.setdefault(member.parts[:at], []).append(member.below(at))

    def open(self, member: Member, kind: str, depth: int) -> None:
        """An archive inside becomes a folder with what it holds; one that cannot be opened stays, with its problem."""

        def open_file() -> IO[bytes]:
            return io.BytesIO(member.read(limits.MAX_NESTED))

        self.folders.add(member.parts)
        before = len(self.taken)
        outermost = self.budget is None
        try:
            if self.budget is None:
                self.budget = _Budget()
            else:
                self.budget.take_archive(member.size)
            self.add_all(read_archive(kind, open_file, member.parts, self.opened, nested=True), depth + 1)
            if len(self.taken) == before:
                raise MemberError("is an archive with nothing in it")
        except MemberError as error:  # what was found before stays
            self.members.append(unreadable(member.parts, str(error), modified=member.modified))
        finally:
            if outermost:
                self.budget = None
            elif self.budget is not None and kind == "tar":  # one that could not be unpacked may have cost as much
                self.budget.bytes -= self.opened.unpacked.get(member.parts, limits.MAX_NESTED)


def read_tree(path: Path) -> Tree:
    """Everything below a folder, or in a zip or tar."""
    opened = Opened()
    collector = _Collector(opened)
    if path.is_dir():
        kind = "folder"
        for what, found in walk_folder(path, lambda parts: is_clutter_folder(parts[-1])):
            if isinstance(found, Member):
                collector.add(found, 0)
            elif what == "folder":
                collector.folders.add(found)
    elif path.is_file():
        kind = archive_kind(path.name) or _by_content(path)
        if not kind:
            raise SubmissionError(f"{path}: neither a folder nor a zip or tar. Give what you downloaded, as it is.")
        try:
            collector.add_all(read_archive(kind, _opener(path), (), opened, nested=False), 0)
        except MemberError as error:
            raise SubmissionError(f"{path}: {error}. Download it again.") from error
    else:
        raise SubmissionError(f"{path}: not found. Give a folder, or the zip that you downloaded.")
    for place in collector.git:  # a layout that reads no repositories says that it was there
        collector.members.append(unreadable((*place, ".git"), CLUTTER))
    members = sorted(collector.members, key=lambda member: member.parts)
    repositories = {parts: tuple(files) for parts, files in collector.git.items()}
    return Tree(
        path=path,
        kind=kind,
        members=tuple(members),
        folders=frozenset(collector.folders),
        repositories=repositories,
    )


def with_archives(members: Iterable[Member], opened: Opened) -> tuple[Member, ...]:
    """These files, and what is in the archives among them; their paths must differ from all others in ``opened``."""
    collector = _Collector(opened)
    for member in members:
        collector.add(member, 0)
    return tuple(sorted(collector.members, key=lambda member: member.parts))


def _opener(path: Path) -> Open:
    def open_file() -> IO[bytes]:
        try:
            return path.open("rb")
        except OSError as error:
            raise MemberError(f"cannot be read ({error.strerror})") from error

    return open_file


def _by_content(path: Path) -> str:
    """An LMS may give a file another ending."""
    try:
        with path.open("rb") as file:
            head = file.read(262)
    except OSError as error:
        raise SubmissionError(f"{path}: cannot be read ({error.strerror}).") from error
    return "tar" if head[257:262] == b"ustar" else HEADS.get(head[:2], "")
