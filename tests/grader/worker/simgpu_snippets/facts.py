"""What else is true of the simulated device: functions that assert it."""

from __future__ import annotations

import contextlib
import functools
import gc
import os
import random
import sys
import threading
import traceback
from collections.abc import Callable

import torch
from torch import nn

FACTS: dict[str, Callable[[], None]] = {}
SEEN: list[str] = []  # what the process did while the device was set up
DEVICE = "simgpu"
# Audit events; "open" has its mode looked at.
FORBIDDEN = (
    "_thread.start_new_thread",
    "os.fork",
    "os.posix_spawn",
    "os.exec",
    "os.system",
    "subprocess.Popen",
    "socket",
)


def fact(function: Callable[[], None]) -> Callable[[], None]:
    FACTS[function.__name__] = function
    return function


def message(function: Callable[[], object]) -> str:
    """How a call ends: the name and the text of its exception."""
    try:
        function()
    except BaseException as error:
        return f"{type(error).__name__}: {error}"
    return "no exception"


# Set-up.


@fact
def setting_up_starts_nothing_and_writes_nothing() -> None:
    assert not SEEN
    if os.path.isdir("/proc/self/task"):
        assert len(os.listdir("/proc/self/task")) == 1


@fact
def setting_up_draws_no_random_number() -> None:
    assert torch.equal(RANDOM_STATE, torch.get_rng_state())


@fact
def a_second_activation_does_nothing() -> None:
    from grader.worker.simgpu import activate

    assert activate() is None


@fact
def torch_knows_the_device() -> None:
    assert torch.device(DEVICE).type == DEVICE
    assert torch.accelerator.current_accelerator() == torch.device(DEVICE)
    assert torch.zeros(3, device=DEVICE).device == torch.device(DEVICE, 0)
    assert not torch.cuda.is_available()
    assert "cpu" in str(torch.zeros(3).device)
    assert "ordinal" in message(lambda: torch.zeros(3, device="simgpu:1"))


@fact
def double_precision_can_be_refused() -> None:
    from grader.worker.simgpu import allow_float64

    allow_float64(False)
    try:
        assert message(lambda: torch.ones(3).double().to(DEVICE)).startswith("TypeError: Cannot convert")
        assert message(lambda: torch.ones(3, device=DEVICE).double()).startswith("TypeError: Cannot convert")
        torch.ones(3, device=DEVICE).half()
    finally:
        allow_float64(True)
    torch.ones(3, device=DEVICE).double()


# Scalars of the CPU: with element-wise operators and nothing else.


@fact
def scalars_are_taken_where_cuda_takes_them() -> None:
    x, scalar, mask = torch.ones(3, device=DEVICE), torch.tensor(2.0), torch.ones(3, dtype=torch.bool, device=DEVICE)
    index = torch.tensor([1], device=DEVICE)
    for call in (
        lambda: x + scalar, lambda: scalar - x, lambda: x.clone().mul_(scalar), lambda: x**scalar, lambda: x < scalar,
        lambda: x // scalar, lambda: torch.where(mask, scalar, x), lambda: torch.maximum(x, scalar),
        lambda: x.masked_fill(mask, scalar), lambda: x.clone().fill_(scalar), lambda: torch.atan2(scalar, x),
        lambda: x.index_fill(0, index, scalar), lambda: x.index_put((index,), scalar), lambda: x.clone().eq_(scalar),
        lambda: x.clone().__setitem__(0, scalar), lambda: x[torch.tensor(1)], lambda: torch.zeros(3).fill_(x.sum()),
        lambda: torch.mul(x, scalar, out=torch.empty_like(x)), lambda: x.remainder(scalar), lambda: x.clamp(min=1.5),
    ):  # fmt: skip
        call()


@fact
def scalars_are_refused_elsewhere() -> None:
    x, scalar, mask = torch.ones(3, device=DEVICE), torch.tensor(2.0), torch.tensor(True)
    index = torch.tensor(1)
    for call in (
        lambda: torch.stack((x[0], scalar)), lambda: x.masked_fill(mask, 1.0), lambda: x.masked_select(mask),
        lambda: torch.logaddexp(x, scalar), lambda: torch.clamp(x, min=scalar), lambda: x.gather(0, index),
        lambda: x.index_select(0, index), lambda: nn.functional.embedding(index, x[:, None]), lambda: x.dot(scalar),
        lambda: scalar.clone().add_(x[0]), lambda: torch.ones(3) + x[0], lambda: torch.equal(x[0], scalar),
        lambda: torch.mul(x, 2, out=torch.empty(3)), lambda: x.scatter(0, index, 1.0), lambda: x.take(index),
    ):  # fmt: skip
        assert "same device" in message(call), message(call)


# Exceptions out of hooks.


def _hooks() -> dict[str, Callable[[Callable[[torch.Tensor], object]], object]]:
    def leaf() -> torch.Tensor:
        return torch.ones(2, 3, device=DEVICE, requires_grad=True)

    def on_tensor(bad):
        y = leaf() * 2
        y.register_hook(bad)
        y.sum().backward()

    def on_leaf(bad):
        x = leaf()
        x.register_hook(bad)
        (x * 2).sum().backward()

    def after_accumulation(bad):
        x = leaf()
        x.register_post_accumulate_grad_hook(lambda x: bad(x.grad))
        (x * 2).sum().backward()

    def on_node(bad):
        y = leaf() * 2
        y.grad_fn.register_prehook(lambda grads: (bad(grads[0]),))
        torch.autograd.grad(y.sum(), y.grad_fn.next_functions[0][0].variable)

    def on_module(bad):
        layer = nn.Linear(3, 3).to(DEVICE)
        layer.register_full_backward_hook(lambda module, before, after: (bad(before[0]),))
        layer(leaf()).sum().backward()

    def on_saved_tensors(bad):
        with torch.autograd.graph.saved_tensors_hooks(lambda x: x, bad):
            y = leaf().exp()
        y.sum().backward()

    def in_a_second_derivative(bad):
        x = leaf()
        (slope,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
        slope.register_hook(bad)
        slope.sum().backward()

    def in_backward_in_backward(bad):
        on_tensor(torch.enable_grad()(lambda grad: on_tensor(bad)))

    return {name: function for name, function in locals().items() if name != "leaf"}


@fact
def exceptions_leave_hooks_unharmed() -> None:
    def fail(grad):
        raise KeyError("mine")

    def stop(grad):
        raise KeyboardInterrupt

    for name, run in _hooks().items():
        for _ in range(50):  # collections of garbage come in between
            assert message(functools.partial(run, fail)) == "KeyError: 'mine'", name
        assert message(functools.partial(run, stop)).startswith("KeyboardInterrupt"), name
        assert "same device" in message(functools.partial(run, lambda grad: grad @ torch.ones(3, 3))), name
    x = torch.ones(3, device=DEVICE, requires_grad=True)
    (x * 2).sum().backward()
    assert x.grad.tolist() == [2, 2, 2]
    assert gc.isenabled()


@fact
def the_traceback_names_the_line_in_the_hook() -> None:
    def hook(grad):
        raise ValueError("in the hook")

    try:
        _hooks()["on_tensor"](hook)
    except ValueError as error:
        names = [frame.name for frame in traceback.extract_tb(error.__traceback__)]
        assert names[-1] == "hook"
        assert error.__cause__ is error.__context__ is None
        return
    raise AssertionError("it was lost")


# Autograd and memory.


@fact
def backward_works_in_another_thread() -> None:
    grads: list[torch.Tensor] = []

    def work() -> None:
        x = torch.ones(3, device=DEVICE, requires_grad=True)
        x.square().sum().backward()
        grads.append(x.grad)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert grads[0].tolist() == [2, 2, 2]


@fact
def changed_saved_tensors_are_noticed() -> None:
    x = torch.ones(3, device=DEVICE, requires_grad=True)
    y = x.exp()
    y.add_(1)
    assert "modified by an inplace operation" in message(y.sum().backward)


@fact
def views_share_memory_and_keep_it() -> None:
    x = torch.arange(5000.0, device=DEVICE)
    view = x.view(50, 100)[7].t()
    x[700] = -1
    del x
    for _ in range(200):
        torch.full((5000,), 3.0, device=DEVICE)
    gc.collect()
    assert view.tolist() == [-1.0, *range(701, 800)]
    assert view.clone().untyped_storage().data_ptr() != view.untyped_storage().data_ptr()


@fact
def memory_is_freed_without_a_collection_of_garbage() -> None:
    gc.collect()
    gc.disable()
    try:
        x = torch.ones(3, device=DEVICE, requires_grad=True)
        for _ in range(5):
            x.sin().add_(1).sum().backward()
            torch.nn.functional.one_hot(torch.arange(3, device=DEVICE))
        assert gc.collect() == 0
    finally:
        gc.enable()


@fact
def resized_tensors_keep_what_fits() -> None:
    x = torch.arange(6.0, device=DEVICE)
    neighbour = x[2:]
    x.resize_(2, 4)
    x[1, 2:] = 9
    assert x.flatten().tolist() == [0, 1, 2, 3, 4, 5, 9, 9]
    assert neighbour.tolist() == [2, 3, 4, 5]
    assert torch.arange(6.0, device=DEVICE).resize_(2, 2).tolist() == [[0, 1], [2, 3]]


@fact
def outputs_are_written_where_they_are() -> None:
    x = torch.zeros(2, 3, device=DEVICE)
    torch.sum(torch.ones(4, device=DEVICE), 0, out=x[0, 1])
    torch.mul(torch.ones(3, device=DEVICE), 5, out=x[1])
    assert x.tolist() == [[0, 4, 0], [5, 5, 5]]


@fact
def random_programs_agree_with_the_cpu() -> None:
    for seed in range(60):
        expected, found = (_program(random.Random(seed), torch.device(where)) for where in ("cpu", DEVICE))
        torch.testing.assert_close(
            [x.cpu() for x in found], expected, msg=lambda text, seed=seed: f"seed {seed}: {text}"
        )


def _program(choice: random.Random, device: torch.device) -> list[torch.Tensor]:
    leaf = torch.linspace(-2, 2, 24).view(2, 3, 4).to(device).requires_grad_()
    values = [leaf * 1]
    steps = (
        lambda x: x.transpose(0, -1), lambda x: x.flip(0), lambda x: x[..., 1:], lambda x: x[-1:], lambda x: x.clone(),
        lambda x: x.unsqueeze(1), lambda x: x.reshape(-1, 1), lambda x: x.add_(0.5), lambda x: x[0].mul_(0.9),
        lambda x: x.softmax(-1), lambda x: torch.cat((x, x), 0), lambda x: x.sum(0, keepdim=True), lambda x: x.tanh(),
        lambda x: x.masked_fill(x > 0.5, 0.25), lambda x: x[torch.arange(len(x) - 1, -1, -1)], lambda x: x.cumsum(0),
        lambda x: x.expand(2, *x.shape).contiguous(), lambda x: x[..., :1].fill_(0.3), lambda x: x * x.sigmoid(),
        lambda x: torch.where(x < 0, x, x.new_tensor(0.1)), lambda x: x.sort(-1).values, lambda x: x - x.mean(),
    )  # fmt: skip
    for _ in range(12):
        value = choice.choice(values)
        step = choice.choice(steps)
        if 0 < value.numel() < 5000 and value.dim() < 6:
            values.append(step(value))
    gradients: tuple[torch.Tensor | None, ...] = ()
    with contextlib.suppress(RuntimeError):  # some change in place what backward needs, wherever they run
        gradients = torch.autograd.grad(sum(x.square().mean() for x in values if x.numel()), leaf)
    return [x.detach() for x in (*values, *gradients)]


RANDOM_STATE = torch.get_rng_state()
watching = threading.Event()


def watch(event: str, args: tuple[object, ...]) -> None:
    writes = event == "open" and isinstance(args[1], str) and set(args[1]) & set("wax+")
    if watching.is_set() and (writes or event.startswith(FORBIDDEN)):
        SEEN.append(f"{event} {args[:2]}")


def activate_and_watch() -> None:
    """Set up the device, and note what the process does meanwhile."""
    from grader.worker import simgpu

    sys.addaudithook(watch)
    watching.set()
    simgpu.activate()
    watching.clear()


def outcome(name: str) -> str:
    """Nothing if it is a fact, else how it fails."""
    try:
        FACTS[name]()
    except Exception:
        return traceback.format_exc()
    return ""
