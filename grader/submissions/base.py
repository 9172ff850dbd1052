"""What every layout of submissions is turned into: first hand-ins, then submissions."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

import msgspec

from grader.results.schema import Origin
from grader.submissions import limits
from grader.submissions.encoding import as_utf8
from grader.submissions.notebook import SUFFIX, NotebookError, notebook_source
from grader.submissions.tree import Member, MemberError, Tree, read_below, too_large

Sources = dict[str, tuple[str, bytes]]  # module name -> (file name, text)


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """The text that counts for one exercise, and the student's own modules beside it that it mentions."""

    content: bytes
    problem: str = ""  # why it cannot be used, if so
    helpers: Sources = {}

    @property
    def digest(self) -> str:
        """A hash of all of it."""
        found = hashlib.sha256(repr((self.content, self.problem, sorted(self.helpers.items()))).encode())
        return found.hexdigest()[:16]


class Submission(msgspec.Struct, frozen=True, kw_only=True):
    """What counts of one student's files."""

    student: str
    sources: dict[str, Source]  # by exercise
    origin: Origin = Origin()  # what else is known of it


class HandIn(msgspec.Struct, frozen=True, kw_only=True):
    """One student's files as they came, before anybody decides which of them count."""

    student: str
    files: tuple[Member, ...] = ()  # their paths begin below what is the student's own
    name: str = ""
    group: tuple[str, ...] = ()  # ids of all members, if several students handed in together
    submitted_at: str | None = None  # ISO 8601
    attempt: int | None = None
    notes: tuple[str, ...] = ()
    problem: str = ""  # what may be missing, and why
    aliases: tuple[str, ...] = ()  # other words by which a roster may know the student


class Unused(msgspec.Struct, frozen=True, kw_only=True):
    """A file that counts for nothing, and why."""

    student: str
    file: str
    reason: str


class Pile(msgspec.Struct, frozen=True, kw_only=True):
    """What a layout made of a tree."""

    hand_ins: tuple[HandIn, ...]
    unused: tuple[Unused, ...] = ()  # of nobody


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """How a layout reads."""

    due: float | None = None  # seconds since 1970: of repositories the last commit before it counts
    exercises: tuple[str, ...] = ()


class Layout(Protocol):
    """A way in which submissions arrive."""

    name: str
    title: str  # as a person calls it

    def fits(self, tree: Tree) -> float:
        """How much of what lies there looks like it: 0, not at all, to 1, all."""

    def read(self, tree: Tree, settings: Settings) -> Pile:
        """What each student handed in."""


def read_text(member: Member) -> tuple[bytes, str, str]:
    """(text, "", encoding) of a student's module or notebook, or (nothing, why it cannot be used, "").

    The encoding is named only if it was not the usual one.
    """
    notebook = member.name.casefold().endswith(SUFFIX)
    try:
        content, encoding = as_utf8(_content(member))
        if notebook:
            content = notebook_source(content).encode(errors="backslashreplace")
    except (MemberError, NotebookError) as error:
        return b"", f"{member.name} {str(error).rstrip('.')}.", ""
    if len(content) > limits.MAX_SOURCE:
        return b"", f"{member.name} {too_large(len(content), limits.MAX_SOURCE)}.", ""
    return content, "", encoding


def raw_text(member: Member) -> bytes:
    """A notebook as it is; it was read before."""
    return as_utf8(_content(member))[0]


def _content(member: Member) -> bytes:
    notebook = member.name.casefold().endswith(SUFFIX)
    return member.read(limits.MAX_NOTEBOOK if notebook else limits.MAX_SOURCE)


def read_source(path: Path) -> tuple[bytes, str]:
    """(text, "") of a module or notebook that lies here, or (nothing, why it cannot be used)."""

    def read(limit: int) -> bytes:
        return read_below(path.parent, (path.name,), limit)

    return read_text(Member(parts=(path.name,), read_bytes=read))[:2]


def submission_of(student: str, files: Mapping[str, Path], also: Sequence[str] = ()) -> Submission:
    """A submission of files that lie here, such as the course's own; ``also`` names files that belong to each."""
    sources = {}
    for name, path in files.items():
        content, problem = read_source(path)
        beside = [path.with_name(other) for other in also if other != f"{name}.py" and path.with_name(other).is_file()]
        helpers = {other.stem: (other.name, read_source(other)[0]) for other in beside}
        sources[name] = Source(content=content, problem=problem, helpers=helpers)
    return Submission(student=student, sources=sources)
