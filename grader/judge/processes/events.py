"""What a judge tells about its work while it works: one JSON line an event, readable after a sudden death."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, BinaryIO

import msgspec

from grader.results.records import Criterion, CriterionResult, Verdict


class Collected(msgspec.Struct, frozen=True, tag="collected"):
    """The criteria that are judged, in order."""

    criteria: tuple[Criterion, ...]
    unsound: dict[str, str] = {}  # criterion -> how the solution itself fails it


class Started(msgspec.Struct, frozen=True, tag="started"):
    """A criterion's first test begins."""

    id: str


class Calling(msgspec.Struct, frozen=True, tag="calling"):
    """A test calls this function of the student's; told where a student waits, when it is another than before."""

    function: str


class Importing(msgspec.Struct, frozen=True, tag="importing"):
    """The student's module is imported for the first time: whoever dies now was killed by that."""


class Imported(msgspec.Struct, frozen=True, tag="imported"):
    """The import is over."""

    problem: str = ""  # why the module cannot be imported, if so
    in_full: str = ""  # the same with the text of the exception: for students who check themselves
    verdict: Verdict | None = None  # of all criteria, if there is a problem
    notes: tuple[str, ...] = ()  # what people should know about the files


class Finished(msgspec.Struct, frozen=True, tag="finished"):
    """All tests of a criterion are done."""

    result: CriterionResult


class Noticed(msgspec.Struct, frozen=True, tag="noticed"):
    """What students may see of a test that did not pass, where they check themselves."""

    id: str
    printed: str = ""  # by the student's own code, cut
    dropped: int = 0  # characters that were printed beyond that
    place: str = ""  # where an endless loop was, as ``ctc.py:35 in f``


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """One mistake of the student's: the ids of the known mistakes that it can be, and what it explains."""

    mistakes: tuple[str, ...]
    criteria: tuple[str, ...]
    likeness: bool = False


class Diagnosed(msgspec.Struct, frozen=True, tag="diagnosed"):
    """Which known mistakes explain the failures, and whether all that was wrong."""

    found: tuple[Found, ...]
    explained: bool
    seconds: float = 0.0  # of processor time that it took


class Answers(msgspec.Struct, frozen=True, tag="answers"):
    """What was asked and answered, where somebody wants it: criterion -> tests -> (function, parts of the answer)."""

    tests: Mapping[str, Sequence[Sequence[tuple[str, dict[str, Any]]]]]


class Ready(msgspec.Struct, frozen=True, tag="ready"):
    """A warm judge waits for its first task, and tells which suites it cannot use."""

    faults: dict[str, str]  # exercise -> why its tests cannot run


class Forked(msgspec.Struct, frozen=True, tag="forked"):
    """A run of ``grader watch`` has begun in this process."""

    pid: int


class Done(msgspec.Struct, frozen=True, tag="done"):
    """A task is over; ``fault`` says what went wrong on our side, if anything did."""

    fault: str = ""
    seconds: float = 0.0  # that it took


Event = (
    Collected
    | Started
    | Calling
    | Importing
    | Imported
    | Finished
    | Noticed
    | Diagnosed
    | Answers
    | Ready
    | Forked
    | Done
)

_decoder = msgspec.json.Decoder(Event)


def write_event(stream: BinaryIO, event: Event, *, at_once: bool = True) -> None:
    """Tell it; not ``at_once``: with what comes next, which wakes the reader less often."""
    stream.write(msgspec.json.encode(event) + b"\n")
    if at_once:
        stream.flush()


def read_events(data: bytes) -> Iterator[Event]:
    """The events of a stream; a last line that was cut off is left out."""
    for line in data.splitlines(keepends=True):
        if line.endswith(b"\n"):
            yield _decoder.decode(line)
