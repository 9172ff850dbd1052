"""What crosses between the coordinator and a cluster worker: bytes of these records, and never objects.

A submission goes out as the bytes of its files. A result comes back as data of known types. So nothing that a student
wrote is ever unpickled, whatever carries the bytes.
"""

from __future__ import annotations

import msgspec

from grader.judge.processes.task import Task
from grader.results.records import ExerciseResult


class Terms(msgspec.Struct, frozen=True, kw_only=True):
    """What a cluster worker must know before it judges for a run."""

    folder: str  # of the course, if the cluster worker is not told another
    exercises: tuple[str, ...]
    diagnose: bool
    decisive: dict[str, str]  # what decides about a verdict, as it is on the coordinator's machine


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """Something that decides about a verdict and is not the same on both machines."""

    what: str
    wanted: str
    found: str


class Judged(msgspec.Struct, frozen=True, tag="judged"):
    """A task was judged."""

    result: ExerciseResult


class Agreed(msgspec.Struct, frozen=True, tag="agreed"):
    """Whatever this cluster worker judges counts as if it were judged by the coordinator."""


class Refused(msgspec.Struct, frozen=True, tag="refused"):
    """This cluster worker would judge otherwise than the coordinator, so it does not."""

    host: str
    differences: tuple[Difference, ...]


class Broken(msgspec.Struct, frozen=True, tag="broken"):
    """A fault of ours, in words."""

    why: str


Reply = Judged | Agreed | Refused | Broken


def encode(message: Terms | Task | Reply) -> bytes:
    return msgspec.msgpack.encode(message)


def decode_terms(data: bytes) -> Terms:
    return msgspec.msgpack.decode(data, type=Terms)


def decode_task(data: bytes) -> Task:
    return msgspec.msgpack.decode(data, type=Task)


def decode_reply(data: bytes) -> Reply:
    """What a cluster worker said; what cannot be read is a fault of ours."""
    try:
        reply: Reply = msgspec.msgpack.decode(data, type=Reply)
    except msgspec.DecodeError as error:
        return Broken(f"the answer cannot be read: {error}")
    return reply
