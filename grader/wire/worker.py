"""Runs the student's code: loads the module, performs calls, and turns what comes back into plain data.

The same executor serves the in-process transport and, through ``serve``, the confined worker, so a suite sees the same
behaviour over both. It is not a boundary: the student's code can do with it what it likes. The boundary is the process
around it, and a judge outside that believes nothing but values.
"""

from __future__ import annotations

import contextlib
import difflib
import importlib
import importlib.abc
import importlib.machinery
import linecache
import os
import random
import sys
import tracemalloc
import types
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from grader.wire.codec import CodecError, Reader, Writer, is_tensor, read_frame
from grader.wire.messages import Absent, Answer, Call, Callback, Failure, Handle, Load, Question, Reply, Seed

MAX_TEXT = 500
MAX_DEPTH = 40
MAX_FRAMES = 8


class StudentError(Exception):
    """The student's code did not answer with a value; ``failure`` says why."""

    def __init__(self, failure: Failure | Absent) -> None:
        super().__init__(failure)
        self.failure = failure


class Sources(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the student's modules by name among the given sources and nowhere else."""

    def __init__(self, sources: Mapping[str, tuple[str, bytes]]) -> None:
        self.sources = sources  # module name -> (file name, source)

    def find_spec(self, name: str, path: object = None, target: object = None) -> Any:
        if name not in self.sources:
            return None
        spec = importlib.machinery.ModuleSpec(name, self, origin=self.sources[name][0])
        spec.has_location = True
        return spec

    def exec_module(self, module: types.ModuleType) -> None:
        filename, source = self.sources[module.__name__]
        code = compile(source, filename, "exec", dont_inherit=True)
        linecache.checkcache(filename)
        exec(code, module.__dict__)  # noqa: S102  # running the student's code is what this class is for


class Executor:
    """One student's module, loaded once, and the objects it made that tests hold handles to."""

    def __init__(
        self, name: str, sources: Mapping[str, tuple[str, bytes]], ask: Callable[[int, tuple[Any, ...]], Any]
    ) -> None:
        self.name = name
        self.sources = sources
        self.ask = ask  # call the judge's function with this number
        self.files = {filename for filename, _ in sources.values()}
        self.module: types.ModuleType | None = None
        self.objects: dict[int, object] = {}

    def load(self) -> None:
        """Import the student's module; whatever it raises, SystemExit included, is a StudentError."""
        for name in self.sources:
            sys.modules.pop(name, None)
        sys.meta_path.insert(0, Sources(self.sources))
        self.module = self._guarded(lambda: importlib.import_module(self.name))

    def call(self, call: Call) -> Reply:
        function = self._resolve(call)
        if call.read:
            return Reply(value=self._send(function))
        args = tuple(self._receive(value) for value in call.args)
        kwargs = {name: self._receive(value) for name, value in call.kwargs.items()}
        leaves = [_leaf(value) for value in args] if call.gradients else []
        if call.memory:
            tracemalloc.start()
        peak = 0
        try:
            value = self._guarded(lambda: function(*args, **kwargs))
        finally:
            if call.memory:
                peak = tracemalloc.get_traced_memory()[1]
                tracemalloc.stop()
        parameters = self._parameters(call) if call.gradients else {}
        found = self._guarded(lambda: _gradients(value, [*leaves, *parameters.values()]))
        return Reply(
            value=self._send(value),
            args=tuple(self._send(a) for a in args) if call.arguments else (),
            kwargs={name: self._send(v) for name, v in kwargs.items()} if call.arguments else {},
            gradients=found[: len(leaves)],
            parameters=dict(zip(parameters, found[len(leaves) :], strict=True)),
            peak_bytes=peak,
        )

    def _parameters(self, call: Call) -> dict[str, Any]:
        """The parameters of the module that is called, if it is one."""
        if call.handle is None or "torch" not in sys.modules:
            return {}
        module: Any = self.objects[call.handle.id]
        is_module = isinstance(module, sys.modules["torch"].nn.Module)
        return dict(module.named_parameters()) if is_module else {}

    def _resolve(self, call: Call) -> Any:
        found: Any = self.objects[call.handle.id] if call.handle else self.module
        try:
            return self._guarded(lambda: getattr(found, call.target)) if call.target else found
        except StudentError as error:
            if isinstance(error.failure, Failure) and "AttributeError" in error.failure.types:
                near = difflib.get_close_matches(call.target, [n for n in dir(found) if n[:1] != "_"], n=1)
                raise StudentError(Absent(name=call.target, near=near[0] if near else "")) from None
            raise

    def _guarded(self, run: Callable[[], Any]) -> Any:
        try:
            return run()
        except StudentError:
            raise
        except (Exception, SystemExit) as error:
            raise StudentError(self._describe(error)) from error

    def _describe(self, error: BaseException) -> Failure:
        frames: list[str] = []
        trace = error.__traceback__
        while trace is not None:
            code = trace.tb_frame.f_code
            if code.co_filename in self.files:
                where = "" if code.co_name == "<module>" else f" in {code.co_name}"
                frames.append(f"{_base(code.co_filename)}:{trace.tb_lineno}{where}")
            trace = trace.tb_next
        if isinstance(error, SyntaxError) and error.filename in self.files:
            frames.append(f"{_base(error.filename)}:{error.lineno}")
        try:
            text = error.msg if isinstance(error, SyntaxError) else str(error)
        except Exception:
            text = "(its message cannot be shown)"
        names = tuple(cls.__name__ for cls in type(error).__mro__ if cls is not object)
        return Failure(types=names, message=text[:MAX_TEXT], frames=tuple(frames[-MAX_FRAMES:]))

    def _receive(self, value: Any) -> Any:
        """A copy of the judge's data, handles replaced by what they stand for, functions by callbacks."""
        if isinstance(value, Handle):
            return self.objects[value.id]
        if isinstance(value, list | tuple):
            return type(value)(self._receive(item) for item in value)
        if isinstance(value, dict):
            return {key: self._receive(item) for key, item in value.items()}
        if is_tensor(value):
            return value.detach().clone()
        if isinstance(value, Callback):
            return lambda *args: self._receive(self.ask(value.id, tuple(self._send(arg) for arg in args)))
        return value

    def _send(self, value: Any, depth: int = 0) -> Any:
        """Plain data as it is, in its plainest type; anything else as a handle."""
        if depth > MAX_DEPTH:
            raise StudentError(
                Failure(types=("RecursionError",), message=f"a result nested more than {MAX_DEPTH} deep")
            )
        if value is None or isinstance(value, bool):
            return value
        for plain in (int, float, str):
            if isinstance(value, plain):
                return plain(value)
        if isinstance(value, list | tuple):
            items = [self._send(item, depth + 1) for item in value]
            return items if isinstance(value, list) else tuple(items)
        if isinstance(value, dict):
            return {self._send(k, depth + 1): self._send(v, depth + 1) for k, v in value.items()}
        if is_tensor(value):
            return value.detach().clone()
        if "numpy" in sys.modules and isinstance(value, sys.modules["numpy"].generic):
            return self._send(value.item(), depth + 1)
        number = next((n for n, held in self.objects.items() if held is value), len(self.objects))
        self.objects[number] = value
        return Handle(id=number, kind=type(value).__name__[:80])


def seed_everything(seed: int) -> None:
    """Seed every generator that code may draw from: random, and numpy and torch where they are imported."""
    random.seed(seed)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(seed % 2**32)
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(seed)


def _base(filename: str | None) -> str:
    return (filename or "").replace("\\", "/").rpartition("/")[2]


def _leaf(value: Any) -> Any:
    return value.requires_grad_() if is_tensor(value) and value.is_floating_point() else None


def _gradients(value: Any, leaves: list[Any]) -> tuple[Any, ...]:
    """The gradient of the summed result (of its first part, if it is a tuple) for each leaf.

    Zeros if the leaf was not used, None for what is no leaf, and None for all if the result is detached.
    """
    result = value[0] if isinstance(value, tuple) and value else value
    inputs = [leaf for leaf in leaves if leaf is not None]
    if not inputs or not is_tensor(result) or not result.requires_grad:
        return (None,) * len(leaves)
    torch = sys.modules["torch"]
    found = iter(torch.autograd.grad(result.sum(), inputs, allow_unused=True, materialize_grads=True))
    return tuple(None if leaf is None else next(found) for leaf in leaves)


def not_sent(error: CodecError) -> Failure:
    """The student's result is more than can be handed over."""
    return Failure(types=("ValueError",), message=f"the result cannot be handed over: {error}")


class Channel:
    """The worker's end of its socket, by plain reads and writes."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    def receive(self) -> tuple[str, int, dict[str, Any]]:
        header, payload = read_frame(self._read)
        reader = Reader(payload)
        kind, number, fields = reader.value(header)
        return kind, number, fields

    def send(self, kind: str, number: int, message: msgspec.Struct) -> None:
        writer = Writer()
        frame = writer.frame(writer.tree((kind, number, msgspec.structs.asdict(message))))
        while frame:
            frame = frame[os.write(self.descriptor, frame) :]

    def _read(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            part = os.read(self.descriptor, min(count - len(data), 1 << 20))
            if not part:
                raise EOFError
            data += part
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
        if kind == "load":
            load = msgspec.convert(fields, Load)
            executor = Executor(load.name, load.sources, ask)
            executor.load()
        elif kind == "seed":
            seed_everything(msgspec.convert(fields, Seed).seed)
        elif executor is not None:
            return "reply", executor.call(msgspec.convert(fields, Call))
        return "reply", Reply(value=None)

    with contextlib.suppress(EOFError):
        while True:
            kind, number, fields = channel.receive()
            try:
                answer: tuple[str, msgspec.Struct] = perform(kind, fields)
            except StudentError as error:
                answer = ("failure" if isinstance(error.failure, Failure) else "absent"), error.failure
            try:
                channel.send(answer[0], number, answer[1])
            except CodecError as error:
                channel.send("failure", number, not_sent(error))
