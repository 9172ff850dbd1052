"""The student's code in a confined worker, reached by data alone.

Everything that comes back is taken for hostile: frames are decoded under limits, each must answer the question that was
asked, and one deadline covers the whole call, callbacks and half-sent frames included. What breaks these rules is
``tampered``; a worker that dies is ``crashed``; one that does not answer in time is killed. After any of these the next
call gets a new worker.
"""

from __future__ import annotations

import select
import signal
import socket
import time
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from grader.course import Exercise
from grader.judge.transports.callbacks import MAX_CALLS, Callbacks
from grader.judge.transports.findings import ask_survey, check_survey
from grader.judge.transports.outcomes import (
    StudentFailure,
    name_missing,
    no_file,
    raised,
    shown_file,
    timed_out,
    unusable,
)
from grader.results.records import Verdict
from grader.sandbox.launcher import Worker, Zygote, ZygoteDied
from grader.wire.codec import AT_ONCE, CodecError, Reader, Writer, count_tensors, read_frame
from grader.wire.messages import (
    Answer,
    Call,
    Failure,
    Handle,
    Load,
    Look,
    NameMissing,
    Question,
    Reply,
    Surveyed,
    without_defaults,
)

MAX_RECEIVED = 256 << 20  # bytes in memory within one call, questions included: a test may keep what it was asked
SURVEY = 3.0  # seconds to read the student's files: fewer than a child may be late (child_process.LOST_AFTER)
WATCH = 0.002  # seconds between two looks at a worker's memory


class ConfinedTransport:
    """One student's module in a worker of its own."""

    def __init__(
        self,
        exercise: Exercise,
        sources: Mapping[str, tuple[str, bytes]],
        zygote: Zygote,
        *,
        deadline: Callable[[], float],
        problem: str = "",
        wanted: tuple[str, ...] = (),
    ) -> None:
        self.exercise = exercise
        self.file = shown_file(exercise.name, sources)
        self.sources = dict(sources)
        self.zygote = zygote
        self.deadline = deadline  # when the test that runs now must be over, by time.monotonic
        self.problem = problem  # why the sources cannot be used, if so
        self.wanted = wanted  # the names that the exercise asks for
        self.absent = False
        self.worker: Worker | None = None
        self.simulate = False  # whether the worker has the simulated accelerator
        self.number = 0
        self.fault: ZygoteDied | None = None  # ours: the tests since then say nothing
        self.target = ""  # what was asked for last

    def load(self, *, simulate: bool) -> None:
        if self.problem:
            raise unusable(self.problem)
        if self.exercise.name not in self.sources:
            raise no_file(self.file)
        if simulate is not self.simulate:  # the accelerator is for good, so it gets a worker of its own
            self.close()
            self.simulate = simulate
        if self.worker is None:
            self._start()

    def call(self, call: Call, callbacks: Callbacks) -> Reply:
        if call.memory:  # in a fresh worker: memory that an older one has freed but kept would hide growth
            self.close()
        if self.worker is None:
            self._start()
        assert self.worker is not None
        watch = _Watch(self.worker) if call.memory else None
        reply = self._ask("call", msgspec.structs.replace(call, memory=False), callbacks, watch)
        return msgspec.structs.replace(reply, peak_bytes=watch.growth if watch else 0)

    def look(self, names: tuple[str, ...]) -> list[tuple[str, int]]:
        """In a fresh worker: one that has run the student's code would say what that code wants."""
        self.close()
        self._fork(accelerated=self.simulate)
        try:
            source = self.sources.get(self.exercise.name, ("", b""))[1]
            look = Look(source=source, names=names, wanted=self.wanted)
            found = self._ask("look", look, Callbacks()).value
        finally:
            self.close()
        return msgspec.convert(found, list[tuple[str, int]])

    def survey(self) -> tuple[Surveyed, ...]:
        """In a fresh worker, too, after the end of any other, and with a time of its own."""
        asked = ask_survey(self.exercise.name, self.sources, self.wanted)
        self.close()
        try:
            self._fork(accelerated=False)
            found = self._ask("survey", asked, Callbacks(), deadline=time.monotonic() + SURVEY).value
            return check_survey(found, asked.sources)
        except StudentFailure:  # the parser gave up, or took too long
            return ()
        finally:
            self.close()

    def close(self) -> None:
        if self.worker is not None:
            worker, self.worker = self.worker, None
            self.zygote.end(worker)

    def _start(self) -> None:
        self._fork(accelerated=self.simulate)
        load = Load(
            name=self.exercise.name, sources=self.sources, forbidden=self.exercise.forbidden, simulate=self.simulate,
            wanted=self.wanted,
        )  # fmt: skip
        self.absent = self._ask("load", load, Callbacks()).value is True

    def _fork(self, *, accelerated: bool) -> None:
        try:
            self.worker = self.zygote.fork(accelerated=accelerated)
        except ZygoteDied as error:
            self.fault = error
            raise

    def _ask(
        self,
        kind: str,
        message: msgspec.Struct,
        callbacks: Callbacks,
        watch: _Watch | None = None,
        deadline: float | None = None,
    ) -> Reply:
        worker = self.worker
        assert worker is not None
        self.number += 1
        self.target = message.target if isinstance(message, Call) else ""
        conversation = _Conversation(worker, self.deadline() if deadline is None else deadline, watch)
        try:
            if conversation.has_news():
                raise CodecError("an answer before its question")
            conversation.send(kind, self.number, message)
            while True:
                kind, fields = conversation.receive(self.number)
                if kind != "question":
                    return self._answer(kind, fields, message)
                if callbacks.calls >= MAX_CALLS:
                    raise CodecError(f"more than {MAX_CALLS} questions in one call")
                question = _convert(fields, Question)
                if not 0 <= question.function < len(callbacks.functions):
                    raise CodecError("a question to a function that was not given")
                value = callbacks.answer(question.function, question.args)
                conversation.send("answer", self.number, Answer(value=value))
        except CodecError as error:
            self._discard()
            raise StudentFailure(
                Verdict.TAMPERED,
                f"Your code broke the conversation with the judge ({error}).",
                summary="Your code broke the conversation with the judge.",
            ) from None
        except TimeoutError:
            self._discard()
            raise timed_out("Your code") from None
        except (EOFError, OSError):
            raise self._post_mortem() from None
        except (StudentFailure, ZygoteDied):
            if callbacks.error:  # it came from a callback of ours: the worker still waits for its answer
                self._discard()
            raise
        except BaseException as error:
            self._discard()
            if callbacks.error or not isinstance(error, Exception):
                raise
            # Only what the worker sent can have led here: our own questions work for every honest worker.
            raise StudentFailure(Verdict.TAMPERED, "Your code broke the conversation with the judge.") from None

    def _answer(self, kind: str, fields: dict[str, Any], asked: msgspec.Struct) -> Reply:
        if kind == "reply":
            reply: Reply = _convert(fields, Reply)
            if not _answers(reply, asked if isinstance(asked, Call) else Call(target="")):
                raise CodecError("an answer with more, or less, than was asked for")
            return reply
        if kind == "failure":
            raise raised(_convert(fields, Failure), self.file, self.sources)
        if kind == "name_missing":
            raise name_missing(_convert(fields, NameMissing), self.file, self.target)
        raise CodecError("a message of an unknown kind")

    def _discard(self) -> int:
        worker, self.worker = self.worker, None
        assert worker is not None
        return self.zygote.end(worker)

    def _post_mortem(self) -> StudentFailure:
        """The worker closed its socket, which it does by dying."""
        status = self._discard()
        if status == -signal.SIGXCPU:
            return timed_out("Your code")
        how = f"by signal {_signal_name(-status)}" if status < 0 else f"with exit status {status}"
        # How is for its author to choose, so for hidden tests it is left out.
        return StudentFailure(
            Verdict.CRASHED, f"Your code ended its process {how}.", summary="Your code ended its process."
        )


def _signal_name(number: int) -> str:
    known = {known.value: known.name for known in signal.Signals}
    return known.get(number, str(number))  # most real-time signals have no name


class _Watch:
    """Looks at a worker's memory from outside while it computes: what the worker says may be a lie."""

    def __init__(self, worker: Worker) -> None:
        self.worker = worker
        self.before = worker.memory()
        self.growth = 0

    def look(self) -> None:
        now = self.worker.memory()
        # The kernel keeps the peak, so that a short one is seen too; a peak from before the call says nothing.
        peak = now.peak - now.files if now.peak > self.before.peak else 0
        self.growth = max(self.growth, now.own - self.before.own, peak - self.before.own)


class _Conversation:
    """Frames over the worker's socket, all within one deadline."""

    def __init__(self, worker: Worker, deadline: float, watch: _Watch | None) -> None:
        self.channel = worker.channel
        self.buffer = worker.buffer
        self.deadline = deadline
        self.watch = watch
        self.received = 0  # bytes in memory
        self.poll = select.poll()

    def has_news(self) -> bool:
        """Whether something has come that nobody asked for."""
        self.poll.register(self.channel, select.POLLIN)
        news = any(event & select.POLLIN and not event & select.POLLHUP for _, event in self.poll.poll(0))
        return news or bool(self.buffer)

    def send(self, kind: str, number: int, message: msgspec.Struct) -> None:
        writer = Writer()
        data = memoryview(writer.frame(writer.tree((kind, number, without_defaults(message)))))
        while data:
            try:
                data = data[self.channel.send(data, socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL) :]
            except BlockingIOError:
                self._wait(select.POLLOUT)

    def receive(self, number: int) -> tuple[str, dict[str, Any]]:
        header, payload = read_frame(self._read)
        reader = Reader(payload)
        message = reader.value(header)
        reader.done()
        self.received += reader.size
        if self.received > MAX_RECEIVED:
            raise CodecError(f"more than {MAX_RECEIVED} bytes in one call")
        if type(message) is not tuple or len(message) != 3:
            raise CodecError("a message of another form")
        kind, answered, fields = message
        if type(kind) is not str or type(fields) is not dict or type(answered) is not int or answered != number:
            raise CodecError("a message that answers something else")
        return kind, fields

    def _read(self, count: int) -> bytearray:
        while len(self.buffer) < count:
            self._wait(select.POLLIN)
            try:
                part = self.channel.recv(max(AT_ONCE, count - len(self.buffer)), socket.MSG_DONTWAIT)
            except BlockingIOError:
                continue
            if not part:
                raise EOFError
            self.buffer += part
        data = self.buffer[:count]
        del self.buffer[:count]
        return data

    def _wait(self, event: int) -> None:
        self.poll.register(self.channel, event)
        while True:
            left = self.deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            if self.watch:
                self.watch.look()
                left = min(left, WATCH)
            if self.poll.poll(left * 1000):
                return


def _answers(reply: Reply, call: Call) -> bool:
    """Whether the reply has the parts that were asked for and no others: what is not looked at would only take room."""
    positional = len(call.args)
    return (
        len(reply.args) == (positional if call.arguments else 0)
        and reply.kwargs.keys() == (call.kwargs.keys() if call.arguments else set())
        and len(reply.gradients) == (positional if call.gradients else 0)
        and not (reply.parameters and not call.gradients)
        and len(reply.devices) == (0 if call.read else count_tensors(reply.value))
        and isinstance(reply.value, Handle) >= call.keep
    )


def _convert(fields: dict[str, Any], kind: type[Any]) -> Any:
    try:
        return msgspec.convert(fields, kind)
    except (msgspec.ValidationError, TypeError):
        raise CodecError(f"a {kind.__name__} that is none") from None
