"""What was handed in as one tree of files, whatever it lies in: a folder, a zip, a tar, and archives inside these.

Nothing is extracted and no link is followed. A ``Member`` is a file with its path; it is read only when somebody asks,
and then under a limit. What cannot be read is a member too, with its problem in words: nothing is lost in silence.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from pathlib import Path

import msgspec

from grader.errors import SubmissionError
from grader.submissions import limits
from grader.submissions.names import is_clutter, is_clutter_folder, leads_out

Parts = tuple[str, ...]


CLUTTER = "was left there by a program"  # and holds nobody's work


class MemberError(Exception):
    """A member cannot be read; the text says why, as the end of a sentence that begins with its name."""


class Member(msgspec.Struct, frozen=True, kw_only=True):
    """One file, by its path from the top; an archive is a step of the path like a folder."""

    parts: Parts
    read_bytes: Callable[[int], bytes]  # with a limit; raises MemberError
    size: int = 0
    modified: float | None = None  # seconds since 1970, by the clock of whoever wrote it
    problem: str = ""  # why nobody can read it, if so
    in_archive: bool = False
    origin: Parts = ()  # its path from the very top, where ``parts`` is shorter or another

    @property
    def name(self) -> str:
        return self.parts[-1]

    @property
    def path(self) -> str:
        """Where it lies, as it was called there."""
        return "/".join(self.origin or self.parts)

    def read(self, limit: int) -> bytes:
        """Its content, if that is not more than ``limit`` bytes."""
        if self.problem:
            raise MemberError(self.problem)
        if self.size > limit:
            raise MemberError(too_large(self.size, limit))
        return self.read_bytes(limit)

    def below(self, steps: int) -> Member:
        """The same without the first steps of its path."""
        return self.called(self.parts[steps:])

    def called(self, parts: Parts) -> Member:
        """The same under another path; where it came from stays known."""
        return msgspec.structs.replace(self, parts=parts, origin=self.origin or self.parts)


class Tree(msgspec.Struct, frozen=True, kw_only=True):
    """All files below one place, and the folders (empty ones too)."""

    path: Path
    kind: str  # "folder", "zip" or "tar"
    members: tuple[Member, ...]
    folders: frozenset[Parts] = frozenset()
    repositories: dict[Parts, tuple[Member, ...]] = {}  # folders with a .git -> its files, paths from .git on

    def tops(self) -> tuple[str, ...]:
        """The names on the first level, sorted."""
        return tuple(sorted({m.parts[0] for m in self.members} | {f[0] for f in self.folders if f}))

    def is_folder(self, name: str) -> bool:
        return (name,) in self.folders

    def work_tops(self) -> list[str]:
        """The names on the first level that may be somebody's work."""
        return [
            name
            for name in self.tops()
            if not is_clutter_folder(name) and not is_clutter((name,)) and not leads_out(name)
        ]

    def only(self, tops: Collection[str]) -> Tree:
        """Of the first level only these."""
        wanted = frozenset(tops)  # a list would be searched once for each file of the class
        return msgspec.structs.replace(
            self,
            members=tuple(member for member in self.members if member.parts[0] in wanted),
            folders=frozenset(folder for folder in self.folders if folder[0] in wanted),
            repositories={place: files for place, files in self.repositories.items() if place and place[0] in wanted},
        )

    def split(self) -> dict[str, Tree]:
        """What lies in each folder of the first level, by its name."""
        members: dict[str, list[Member]] = {folder[0]: [] for folder in self.folders}
        folders: dict[str, set[Parts]] = {name: set() for name in members}
        repositories: dict[str, dict[Parts, tuple[Member, ...]]] = {name: {} for name in members}
        for member in self.members:
            if len(member.parts) > 1:
                members[member.parts[0]].append(member.below(1))
        for folder in self.folders:
            if len(folder) > 1:
                folders[folder[0]].add(folder[1:])
        for folder, files in self.repositories.items():
            if folder:
                repositories[folder[0]][folder[1:]] = files
        return {
            name: msgspec.structs.replace(
                self,
                members=tuple(members[name]),
                folders=frozenset(folders[name]),
                repositories=repositories[name],
            )
            for name in sorted(members)
        }


def unreadable(parts: Parts, problem: str, **about: object) -> Member:
    """A member that is there, and that nobody can read."""
    return Member(parts=parts, read_bytes=_nothing, problem=problem, **about)  # type: ignore[arg-type]


def _nothing(limit: int) -> bytes:
    return b""


def too_large(size: int, limit: int) -> str:
    return f"has {size} bytes; more than {limit} are not read"


def shown(name: str) -> str:
    """A step of a path as text: names of files need not be text, and may be endless."""
    text = name.encode(errors="surrogateescape" if _is_escaped(name) else "replace").decode(errors="backslashreplace")
    if len(text) <= limits.MAX_NAME:
        return text
    mark = hashlib.sha256(text.encode()).hexdigest()[:8]  # two long names that begin alike stay two
    return f"{text[: limits.MAX_NAME - 50]}…{mark}…{text[-30:]}"


def _own(name: str, taken: set[str]) -> str:
    """Two files that are shown alike stay two."""
    own, number = name, 2
    while own in taken:
        own, number = f"{name} ({number})", number + 1
    taken.add(own)
    return own


def _is_escaped(name: str) -> bool:
    """Whether all surrogates stand for bytes that are no text."""
    return all(0xDC80 <= ord(character) <= 0xDCFF for character in name if 0xD800 <= ord(character) <= 0xDFFF)


def walk_folder(root: Path, skip: Callable[[Parts], bool]) -> Iterator[tuple[str, Member | Parts]]:
    """("file", member), ("folder", parts), ("git", member) of everything below a folder; links are not followed.

    ``skip`` says which folders nobody wants to see; a ``.git`` is told apart from the rest.
    """
    waiting: list[tuple[str, Parts, Parts]] = [("file", (), ())]  # kind, the path as it is on disk, the path as shown
    while waiting:
        kind, steps, names = waiting.pop()
        try:
            with os.scandir(root.joinpath(*steps)) as entries:
                found = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            if not steps:
                raise SubmissionError(f"{root}: cannot be read ({error.strerror}).") from error
            yield kind, unreadable(names, f"cannot be read ({error.strerror})")
            continue
        taken: set[str] = set()
        for entry in reversed(found):
            path, parts = (*steps, entry.name), (*names, _own(shown(entry.name), taken))
            try:
                status = entry.stat(follow_symlinks=False)
            except OSError as error:
                yield kind, unreadable(parts, f"cannot be read ({error.strerror})")
                continue
            if stat.S_ISDIR(status.st_mode):
                if len(parts) > limits.MAX_STEPS:
                    yield kind, unreadable(parts, f"lies more than {limits.MAX_STEPS} folders deep")
                    continue
                inside = "git" if entry.name == ".git" else kind
                if kind == "file":
                    yield "folder", parts
                if inside == "git" or not skip(parts):
                    waiting.append((inside, path, parts))
                else:
                    yield kind, unreadable(parts, CLUTTER)
            elif stat.S_ISREG(status.st_mode):
                yield (
                    kind,
                    Member(
                        parts=parts,
                        read_bytes=partial(read_below, root, path),
                        size=status.st_size,
                        modified=status.st_mtime,
                    ),
                )
            elif stat.S_ISLNK(status.st_mode):
                yield kind, unreadable(parts, "is a link, and links are not followed")
            else:
                yield kind, unreadable(parts, "is not an ordinary file")


def read_below(root: Path, steps: Sequence[str], limit: int) -> bytes:
    """The content of a file, reached from ``root`` step by step, so that nobody can slip a link in between."""
    try:
        descriptor = open_below(root, steps)
    except OSError as error:
        raise MemberError(f"cannot be read ({error.strerror})") from error
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise MemberError("is not an ordinary file")
        if status.st_size > limit:
            raise MemberError(too_large(status.st_size, limit))
        return file.read(min(limit, status.st_size))


def open_below(root: Path, steps: Sequence[str]) -> int:
    no_link = getattr(os, "O_NOFOLLOW", 0)
    flags = os.O_RDONLY | no_link | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    if os.open not in os.supports_dir_fd:
        return os.open(root.joinpath(*steps), flags)
    *folders, name = steps
    here = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for step in folders:
            below = os.open(step, os.O_RDONLY | os.O_DIRECTORY | no_link, dir_fd=here)
            os.close(here)
            here = below
        return os.open(name, flags, dir_fd=here)
    finally:
        os.close(here)
