"""Runs the student's code: loads the module, performs calls, and turns what comes back into plain data.

The same executor serves the in-process transport and the confined worker, so a suite sees the same behaviour
over both. It is not a boundary: the student's code can do with it what it likes. The boundary is the process
around it, and a judge outside that believes nothing but values.
"""

from __future__ import annotations

import difflib
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import linecache
import random
import sys
import tracemalloc
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from grader.wire.codec import is_tensor
from grader.wire.messages import STAND_INS, Call, Callback, Failure, Handle, Load, NameMissing, Reply
from grader.wire.notebook import is_notebook
from grader.worker.forbidden import Forbidden
from grader.worker.program import Step, make_program, misses_package, roots_of, run_program

MAX_TEXT = 500
MAX_DEPTH = 40
MAX_FRAMES = 8


class StudentError(Exception):
    """The student's code did not answer with a value; ``failure`` says why."""

    def __init__(self, failure: Failure | NameMissing) -> None:
        super().__init__(failure)
        self.failure = failure


class Sources(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the student's modules by name among the given sources and nowhere else."""

    def __init__(self, sources: Mapping[str, tuple[str, bytes]], main: str = "", wanted: tuple[str, ...] = ()) -> None:
        self.sources = sources  # module name -> (file name, source)
        self.main = main
        self.wanted = wanted  # the names that are asked of the main module; empty: any
        self.absent = False  # whether a file imported something that is not installed

    def find_spec(self, name: str, path: object = None, target: object = None) -> Any:
        if name not in self.sources:
            return None
        spec = importlib.machinery.ModuleSpec(name, self, origin=self.sources[name][0])
        spec.has_location = True
        return spec

    def get_source(self, name: str) -> str:
        """For whoever reads code at run time, as ``inspect`` and ``torch.jit.script`` do."""
        return importlib.util.decode_source(self.sources[name][1])

    def exec_module(self, module: types.ModuleType) -> None:
        name = module.__name__
        filename, source = self.sources[name]
        if STAND_INS in filename:
            steps = [Step(code=compile(source, filename, "exec", dont_inherit=True))]
        else:
            roots = roots_of(name, self.sources, self.main, self.wanted) if is_notebook(source) else None
            steps = make_program(source, filename, roots=roots, modules=self.sources)
        linecache.checkcache(filename)
        self.absent |= misses_package(steps)
        run_program(steps, module.__dict__)


class Executor:
    """One student's module, loaded once, and the objects it made that tests hold handles to."""

    def __init__(
        self,
        load: Load,
        ask: Callable[[int, tuple[Any, ...]], Any],
        passes_on: Callable[[BaseException], bool] = lambda error: not isinstance(error, Exception | SystemExit),
    ) -> None:
        self.name = load.name
        self.sources = load.sources
        self.finder = Sources(load.sources, load.name, load.wanted)
        self.forbidden = Forbidden(load.forbidden)
        self.ask = ask  # call the judge's function with this number
        self.passes_on = passes_on  # whether an exception is not the student's own
        self.files = {filename for filename, _ in load.sources.values() if STAND_INS not in filename}
        self.module: types.ModuleType | None = None
        self.objects: dict[int, object] = {}

    def load(self) -> None:
        """Import the student's module; whatever it raises, SystemExit included, is a StudentError."""
        for name in self.sources:
            sys.modules.pop(name, None)
        sys.meta_path.insert(0, self.finder)
        with self.forbidden:
            self.module = self._guarded(lambda: importlib.import_module(self.name))

    @property
    def absent(self) -> bool:
        """Whether the student's files import something that is not installed."""
        return self.finder.absent

    def call(self, call: Call) -> Reply:
        if (seed := call.seed) is not None:
            self._guarded(lambda: seed_everything(seed))
        function = self._resolve(call)
        if call.read:
            return Reply(value=self._send(function))
        args = tuple(self._receive(value, call.device) for value in call.args)
        kwargs = {name: self._receive(value, call.device) for name, value in call.kwargs.items()}
        leaves = [_leaf(value) for value in args] if call.gradients else []
        if call.memory:
            tracemalloc.start()
        peak = 0
        try:
            with self.forbidden:
                value = self._guarded(lambda: function(*args, **kwargs))
        finally:
            if call.memory:
                peak = tracemalloc.get_traced_memory()[1]
                tracemalloc.stop()
        parameters = self._parameters(call) if call.gradients else {}
        found = self._guarded(lambda: _gradients(value, [*leaves, *parameters.values()]))
        reply: Reply = self._guarded(  # its objects may raise when they are made plain
            lambda: Reply(
                value=self._hold(value) if call.keep else self._send(value),
                args=tuple(self._send(a) for a in args) if call.arguments else (),
                kwargs={name: self._send(v) for name, v in kwargs.items()} if call.arguments else {},
                gradients=tuple(map(self._send, found[: len(leaves)])),
                parameters={name: self._send(g) for name, g in zip(parameters, found[len(leaves) :], strict=True)},
                peak_bytes=peak,
                devices=() if call.keep else tuple(_devices(value)),
            )
        )
        return reply

    def look_for_copies(self) -> None:
        """Of what is forbidden, in a worker: elsewhere the judge's own functions would be found."""
        self._guarded(self.forbidden.look_for_copies)

    def _parameters(self, call: Call) -> dict[str, Any]:
        """The parameters of the module that is called, if it is one."""
        if call.handle is None or "torch" not in sys.modules:
            return {}
        module: Any = self.objects[call.handle.id]
        is_module = isinstance(module, sys.modules["torch"].nn.Module)
        return dict(module.named_parameters()) if is_module else {}

    def _resolve(self, call: Call) -> Any:
        found: Any = self.objects[call.handle.id] if call.handle else self.module
        if call.module:
            with self.forbidden:
                found = self._guarded(lambda: importlib.import_module(call.module))
        for name in call.target.split(".") if call.target else ():
            found = self._attribute(found, name)
        return found

    def _attribute(self, owner: Any, name: str) -> Any:
        try:
            return self._guarded(lambda: getattr(owner, name))
        except StudentError as error:
            if isinstance(error.failure, Failure) and "AttributeError" in error.failure.types:
                near = difflib.get_close_matches(name, [n for n in dir(owner) if n[:1] != "_"], n=1)
                raise StudentError(NameMissing(name=name, near=near[0] if near else "")) from None
            raise

    def _guarded(self, run: Callable[[], Any]) -> Any:
        try:
            return run()
        except StudentError:
            raise
        except BaseException as error:
            if self.passes_on(error):
                raise
            raise StudentError(self._describe(error)) from error

    def _describe(self, error: BaseException) -> Failure:
        frames: list[str] = []
        last = "", 0  # where it was raised, as far as Python knows
        trace = error.__traceback__
        while trace is not None:
            code = trace.tb_frame.f_code
            last = code.co_filename, trace.tb_lineno
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
        if names[0] == "NotImplementedError" and not self._raises(*last):
            names = names[1:]  # torch's word for what a device cannot do, not a stub's
        return Failure(types=names, message=text[:MAX_TEXT], frames=tuple(frames[-MAX_FRAMES:]))

    def _raises(self, filename: str, line: int) -> bool:
        """Whether this line of the student's has a ``raise``."""
        texts = (text for name, text in self.sources.values() if name == filename and name in self.files)
        return any(b"raise" in one for text in texts for one in text.splitlines()[line - 1 : line])

    def _receive(self, value: Any, device: str = "") -> Any:
        """A copy of the judge's data, handles replaced by what they stand for, functions by callbacks."""
        if isinstance(value, Handle):
            return self.objects[value.id]
        if isinstance(value, list | tuple):
            return type(value)(self._receive(item, device) for item in value)
        if isinstance(value, dict):
            return {key: self._receive(item, device) for key, item in value.items()}
        if is_tensor(value):
            return value.to(device) if device else value.clone()
        if isinstance(value, Callback):
            return lambda *args: self._callback(value.id, args, device)
        return value

    def _callback(self, number: int, args: tuple[Any, ...], device: str) -> Any:
        sent = tuple(self._send(arg) for arg in args)
        with self.forbidden.lifted():
            answer = self.ask(number, sent)
        return self._receive(answer, device)

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
            return value.detach().cpu()  # the codec copies it at once
        if "numpy" in sys.modules and isinstance(value, sys.modules["numpy"].generic):
            return self._send(value.item(), depth + 1)
        return self._hold(value)

    def _hold(self, value: Any) -> Handle:
        number = next((n for n, held in self.objects.items() if held is value), len(self.objects))
        self.objects[number] = value
        return Handle(id=number, kind=type(value).__name__[:80])


def seed_everything(seed: int) -> None:
    """Seed every generator that code may draw from: random, and numpy and torch where they are imported."""
    random.seed(seed)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(seed % 2**32)
    if "torch" in sys.modules:
        torch = sys.modules["torch"]
        torch.default_generator.manual_seed(seed)
        if (
            torch.accelerator.current_accelerator() is not None
        ):  # else this formats the stack for a GPU that never comes
            torch.manual_seed(seed)


def _base(filename: str | None) -> str:
    return (filename or "").replace("\\", "/").rpartition("/")[2]


def _leaf(value: Any) -> Any:
    return value.requires_grad_() if is_tensor(value) and value.is_floating_point() else None


def _devices(value: Any) -> Iterator[str]:
    """Where the tensors in a result are, in order."""
    if is_tensor(value):
        yield value.device.type
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _devices(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _devices(item)


def _gradients(value: Any, leaves: list[Any]) -> tuple[Any, ...]:
    """The gradient of the summed result (of its first part, if it is a tuple) for each leaf.

    Zeros if the leaf was not used, None for what is frozen or no leaf, and None for all if the result is detached.
    """
    result = value[0] if isinstance(value, tuple) and value else value
    inputs = [leaf for leaf in leaves if leaf is not None and leaf.requires_grad]
    if not inputs or not is_tensor(result) or not result.requires_grad:
        return (None,) * len(leaves)
    torch = sys.modules["torch"]
    found = iter(torch.autograd.grad(result.sum(), inputs, allow_unused=True, materialize_grads=True))
    return tuple(None if leaf is None or not leaf.requires_grad else next(found) for leaf in leaves)
