"""``hand_in.json``: what a zip of ``grader submit`` says about itself. Students' machines write it, teachers' read it.

Who hands in can write anything there: the hashes tell what was damaged on the way, not who wrote it.
"""

from __future__ import annotations

import hashlib

import msgspec

from grader.submissions.tree import shown

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
    files: dict[str, str] = {}  # path in the zip -> what `digest` says of its content

    @property
    def members(self) -> tuple[str, ...]:
        """The ids of all who handed in together, first of all who did it."""
        ids = (shown(student.strip()) for student in (self.student, *self.group))
        return tuple(dict.fromkeys(student for student in ids if student))


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
