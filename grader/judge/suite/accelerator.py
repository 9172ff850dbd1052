"""Equivalence of CPU and accelerator, on a real one or a simulated one."""

from __future__ import annotations

from typing import Any

from grader.judge.suite.compare import Mismatch, assert_close
from grader.judge.suite.student import Function, Remote

SIMULATED = "simgpu"


def real_accelerator() -> str:
    """``cuda`` or ``mps`` where there is one, else nothing."""
    import torch

    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else ""


def assert_same_on_device(function: Function, device: str, what: str, *args: Any, **kwargs: Any) -> None:
    """The result on the accelerator is the CPU's, and it is on the accelerator; a module is moved there first."""
    expected = function(*args, **kwargs)
    if isinstance(function, Remote):
        function.to(device)
    reply = function.on(device).observe(*args, **kwargs)
    if any(found != device for found in reply.devices):
        problem = "must be on the device of the inputs, but it is on another"
        raise Mismatch(f"{what} {problem}: {', '.join(reply.devices)}.", f"The result {problem}.")
    assert_close(reply.value, expected, f"{what} on the accelerator")
