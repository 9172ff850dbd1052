"""What runs inside the confinement: answers the judge's messages with an executor, over one descriptor.

Nothing is imported here but the standard library, msgspec, and this package; torch and numpy are the student's.
"""

from __future__ import annotations

import contextlib
import os
from typing import Any

import msgspec

from grader.wire.codec import AT_ONCE, CodecError, Reader, Writer, read_frame
from grader.wire.messages import Answer, Call, Failure, Load, Look, Question, Reply, Survey, without_defaults
from grader.worker.executor import Executor, StudentError
from grader.worker.forbidden import refuse_code_from_text
from grader.worker.source import find_mentions, survey


def not_sent(error: CodecError) -> Failure:
    """The student's result is more than can be handed over."""
    return Failure(types=("ValueError",), message=f"the result cannot be handed over: {error}")


def simulate_accelerator() -> None:
    """Switch the device ``simgpu`` on, for the rest of this process's life."""
    from grader.worker.simgpu import activate

    activate()


class Channel:
    """The worker's end of its socket, by plain reads and writes."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.buffer = bytearray()  # what came with what was asked for

    def receive(self) -> tuple[str, int, dict[str, Any]]:
        header, payload = read_frame(self._read)
        reader = Reader(payload)
        kind, number, fields = reader.value(header)
        return kind, number, fields

    def send(self, kind: str, number: int, message: msgspec.Struct) -> None:
        writer = Writer()
        frame = writer.frame(writer.tree((kind, number, without_defaults(message))))
        while frame:
            frame = frame[os.write(self.descriptor, frame) :]

    def _read(self, count: int) -> bytes:
        while len(self.buffer) < count:
            part = os.read(self.descriptor, max(AT_ONCE, count - len(self.buffer)))
            if not part:
                raise EOFError
            self.buffer += part
        data = bytes(self.buffer[:count])
        del self.buffer[:count]
        return data


def serve(descriptor: int) -> None:
    """Answer the judge until it hangs up."""
    channel = Channel(descriptor)
    executor: Executor | None = None
    number = 0

    def ask(function: int, args: tuple[Any, ...]) -> Any:
        channel.send("question", number, Question(function=function, args=args))
        _, _, fields = channel.receive()
        return msgspec.convert(fields, Answer).value

    def perform(kind: str, fields: dict[str, Any]) -> tuple[str, msgspec.Struct]:
        nonlocal executor
        if kind == "look":
            look = msgspec.convert(fields, Look)
            return "reply", Reply(value=find_mentions(look.source, look.names, look.wanted))
        if kind == "survey":
            return "reply", Reply(value=msgspec.to_builtins(survey(msgspec.convert(fields, Survey))))
        if kind == "load":
            load = msgspec.convert(fields, Load)
            if load.simulate:
                simulate_accelerator()
            executor = Executor(load, ask)
            if load.forbidden:
                refuse_code_from_text(executor.files)
            executor.load()
            executor.look_for_copies()
            return "reply", Reply(value=executor.absent)
        if executor is not None:
            call = msgspec.convert(fields, Call)
            reply = executor.call(call)
            if call.seed is not None:  # once in each test
                executor.look_for_copies()
            return "reply", reply
        return "reply", Reply(value=None)

    with contextlib.suppress(EOFError):
        while True:
            kind, number, fields = channel.receive()
            try:
                answer: tuple[str, msgspec.Struct] = perform(kind, fields)
            except StudentError as error:
                answer = ("failure" if isinstance(error.failure, Failure) else "name_missing"), error.failure
            try:
                channel.send(answer[0], number, answer[1])
            except CodecError as error:
                channel.send("failure", number, not_sent(error))
