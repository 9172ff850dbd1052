"""A device ``simgpu`` that behaves like a GPU towards Python code, on a machine that has none.

Theory of operation. A tensor on the device is an ordinary tensor whose storage carries the label of torch's reserved
device type and points at host memory. Torch's own C++ does views, autograd, hooks, version counters and composed
operators. One function (``simgpu_rules.run``) stands in for every kernel of the device: it checks where the arguments
live, runs the CPU's kernel on unlabelled twins that share the memory, and labels what comes out. So values and
gradients are the CPU's, and a tensor that was left behind on the CPU raises the error that CUDA raises.

What it cannot show: CUDA's own random numbers (the CPU's generator serves, so compare with dropout off), its rounding,
its late reports of indices out of range, or more than one device. Sparse tensors are not supported, autocast changes
nothing, ``out=`` does not grow a tensor that is not empty, and ``x.data = y`` does not cross devices. It rests on
private parts of torch, hence the self-test; nothing here was compared with a real GPU.
"""

from __future__ import annotations

import contextlib
import copy
import ctypes
import functools
import gc
import os
import threading
import types
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.nn import functional

from grader.worker.simgpu_rules import (
    CPU,
    NAME,
    STAND_INS,
    copy_from,
    empty,
    generators,
    label,
    resize,
    run,
    settings,
)

OLDEST = (2, 10)

_torch: Any = torch  # for what has no annotations there
_C: Any = torch._C
_kept: list[Any] = []  # registrations last as long as these objects
_lost = threading.local()  # an exception on its way out of the autograd engine


class SimulationError(RuntimeError):
    """The simulated device could not be set up, or does not do what it should: never the student's fault."""


@functools.cache
def activate() -> None:
    """Register the device in this process, for good; a second call does nothing. Takes over ``torch.accelerator``."""
    if tuple(int(part) for part in torch.__version__.split(".")[:2]) < OLDEST:
        raise SimulationError(f"torch {torch.__version__} is too old for the simulated device: it takes 2.10")
    if _torch.cuda.is_initialized():
        raise SimulationError("this process uses a real GPU: the simulated one needs a process of its own")
    os.environ["CUDA_VISIBLE_DEVICES"] = ""  # a hard-coded .cuda() fails here even where there is a GPU
    try:
        _set_up()
        _self_test()
    except SimulationError:
        raise
    except Exception as error:
        text = f"no simulated device with torch {torch.__version__}: {type(error).__name__}: {error}"
        raise SimulationError(text) from error


def allow_float64(allowed: bool) -> None:
    """Whether the device takes double precision: CUDA does, Apple's MPS does not."""
    settings["float64"] = allowed


_PRIVATE = _C._autograd.DeviceType.PrivateUse1
_raise_what_is_pending = ctypes.pythonapi.Py_IsInitialized  # as every call through pythonapi does when it returns


class _Guard(_C._acc.DeviceGuard):  # type: ignore[misc]  # a class of C++
    def type_(self) -> Any:
        """The device's type, which the engine wants to know even while an exception leaves a hook.

        To return while that exception is pending would abort the process, so it is picked up here and kept.
        """
        try:
            _raise_what_is_pending()
        except BaseException as error:
            _lost.error = error.with_traceback(error.__traceback__ and error.__traceback__.tb_next)
        return _PRIVATE


class _Engine(_C._ImperativeEngine):  # type: ignore[misc]  # a class of C++
    def run_backward(self, *args: Any, **kwargs: Any) -> Any:
        """Backward in the caller's thread; an exception that the guard kept is raised here."""
        _C._set_multithreading_enabled(False)
        _lost.error = None
        collecting = gc.isenabled()
        gc.disable()  # a collection before the guard gets to it would swallow a pending exception
        try:
            return super().run_backward(*args, **kwargs)
        except SystemError:
            if _lost.error is None:
                raise
        finally:
            if collecting:
                gc.enable()
        error, _lost.error = _lost.error, None
        raise error


class _Generator(_torch.Generator):  # type: ignore[misc]  # a class of C++
    """The CPU's generator, which answers to the device's name where that is asked for."""

    def __new__(cls, device: Any = "cpu") -> Any:
        simulated = torch.device(device).type == NAME
        self = super().__new__(cls, CPU if simulated else device)
        if simulated:
            generators[self._cdata] = self
        return self

    @property
    def device(self) -> Any:
        return torch.device(NAME, 0) if self._cdata in generators else super().device


def _set_up() -> None:
    # At the first backward the engine starts a thread for each device that it knows: let that be now.
    _torch.ones((), requires_grad=True, device=CPU).clone().backward()
    from torch.utils.backend_registration import _setup_privateuseone_for_python_backend as register

    register(NAME, backend_module=_module(), device_guard=_Guard())
    everything, library = _torch.library.Library("_", "IMPL"), _torch.library.Library("aten", "IMPL")
    _kept.extend((everything, library))
    everything.fallback(run, "PrivateUse1")
    everything.fallback(torch.library.fallthrough_kernel, "AutocastPrivateUse1")  # autocast changes nothing
    library.impl("_copy_from", copy_from, "PrivateUse1")
    library.impl("empty.memory_format", empty, "PrivateUse1")
    library.impl("resize_", resize, "PrivateUse1")
    for op in STAND_INS:
        library.impl(op, functools.partial(run, op), "PrivateUse1")
    for key in ("Conjugate", "Negative"):  # else the target of a copy is itself copied first
        library.impl("_copy_from", torch.library.fallthrough_kernel, key)
    torch.backends.mha.set_fastpath_enabled(False)  # it goes past the operators that autograd and we know
    torch.autograd.Variable._execution_engine = _Engine()
    _torch.Generator = _Generator
    _torch.Tensor.pin_memory = lambda self, device=None: self.clone()
    _torch.accelerator.synchronize = lambda device=None: None
    _patch_storage()
    _patch_module()


def _module() -> types.ModuleType:
    """What ``torch.simgpu`` offers."""
    module = types.ModuleType(f"torch.{NAME}")
    module.__dict__.update(
        is_available=lambda: True,
        is_initialized=lambda: True,
        _is_in_bad_fork=lambda: False,
        device_count=lambda: 1,
        current_device=lambda: 0,
        device=lambda device: contextlib.nullcontext(),
        set_device=lambda device: None,
        synchronize=lambda device=None: None,
        manual_seed=lambda seed: None,  # torch.manual_seed has seeded the generator that serves
        manual_seed_all=lambda seed: None,
        get_rng_state=lambda device=None: torch.get_rng_state(),
        set_rng_state=lambda state, device=None: torch.set_rng_state(state),
        get_amp_supported_dtype=lambda: [torch.float16, torch.bfloat16],
    )
    return module


def _patch_storage() -> None:
    new = _torch.UntypedStorage.__new__

    def make(cls: Any, *args: Any, device: Any = None, **kwargs: Any) -> Any:
        # Torch would go to an allocator that does not exist. Deepcopy and torch.load come here.
        if device is not None and torch.device(device).type == NAME:
            return label(new(cls, *args, device="cpu", **kwargs))
        return new(cls, *args, device=device, **kwargs)

    _torch.UntypedStorage.__new__ = staticmethod(make)


def _patch_module() -> None:
    apply = _torch.nn.Module._apply

    @contextlib.contextmanager
    def swapping() -> Iterator[None]:
        before, flag = torch.utils.swap_tensors, torch.__future__.get_swap_module_params_on_conversion()
        torch.__future__.set_swap_module_params_on_conversion(True)
        torch.utils.swap_tensors = _C._swap_tensor_impl  # it does not mind a graph that holds the parameter
        try:
            yield
        finally:
            torch.utils.swap_tensors = before
            torch.__future__.set_swap_module_params_on_conversion(flag)

    def moved(self: Any, fn: Any, recurse: bool = True) -> Any:
        # Parameters stay the objects they are, as with CUDA: tied weights stay tied, optimisers keep hold of them.
        with swapping():
            return apply(self, fn, recurse)

    _torch.nn.Module._apply = moved


def _attention(device: Any) -> tuple[torch.Tensor, ...]:
    x = torch.linspace(-1, 1, 24, device=CPU).view(2, 3, 4).to(device).requires_grad_()
    future = torch.ones(3, 3, dtype=torch.bool, device=device).triu(1)
    y = (x @ x.transpose(1, 2)).masked_fill(future, float("-inf")).softmax(-1) @ x
    return y, *torch.autograd.grad(y.square().sum(), x)


def _memory(device: Any) -> tuple[torch.Tensor, ...]:
    x = torch.zeros(3, 4, device=device)
    x[torch.tensor([0, 2], device=CPU)] += torch.tensor(1.5, device=CPU)
    x.view(-1)[5:].copy_(torch.arange(7.0, device=CPU))
    return x, copy.deepcopy(x.t()), torch.cat((x, x[:1]))


def _layers(device: Any) -> tuple[torch.Tensor, ...]:
    layer = torch.nn.LayerNorm(4, device=CPU)
    weight, x = layer.weight, torch.eye(4, device=device)
    y = torch.gru_cell(x, layer.to(device)(x), torch.ones(12, 4, device=device), torch.ones(12, 4, device=device))
    if layer.weight is not weight:
        raise SimulationError("self-test: moving a module replaced its parameters")
    return y, weight


_GOOD: tuple[Callable[[Any], tuple[torch.Tensor, ...]], ...] = (_attention, _memory, _layers)
_BAD: tuple[tuple[type[Exception], Callable[[torch.Tensor], object]], ...] = (
    (RuntimeError, lambda x: x + torch.ones(2, device=CPU)),
    (RuntimeError, lambda x: functional.embedding(torch.tensor([1, 0], device=CPU), x)),
    (TypeError, lambda x: x.numpy()),
)


def _self_test() -> None:
    with torch.enable_grad():
        for snippet in _GOOD:
            for found, expected in zip(snippet(NAME), snippet(CPU), strict=True):
                if found.device.type != NAME or not torch.allclose(found.cpu(), expected):
                    raise SimulationError(f"self-test: {snippet.__name__[1:]} is not what the CPU makes of it")
    for number, (kind, mistake) in enumerate(_BAD):
        try:
            mistake(torch.zeros(2, 2, device=NAME))
        except kind:
            continue
        raise SimulationError(f"self-test: mistake {number} went unnoticed")
