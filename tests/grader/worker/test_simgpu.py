"""The simulated device against lists of right and wrong snippets, which also run on a real GPU where there is one.

It is registered for good in its process, so everything happens in child processes.
"""

import functools
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

sys.path.insert(0, str(Path(__file__).parent))
from simgpu_snippets import SNIPPETS
from simgpu_snippets.facts import FACTS

from grader.worker import simgpu

pytestmark = pytest.mark.proof

DEVICES = ["simgpu", *(["cuda"] if torch.cuda.is_available() else [])]
WRONG = [s for s in SNIPPETS.values() if s.errors]
RIGHT = [s for s in SNIPPETS.values() if not s.errors]


def python(*args):
    """What a Python process prints."""
    run = subprocess.run(
        [sys.executable, *args], cwd=Path(__file__).parent, capture_output=True, text=True, timeout=300, check=False
    )
    assert run.returncode == 0, f"exit code {run.returncode}: {run.stderr[-2000:]}"
    return run.stdout


@functools.cache
def outcomes(device):
    return json.loads(python("-m", "simgpu_snippets", device))


def on_devices(snippets):
    cases = [(d, s) for d in DEVICES for s in snippets if d == "simgpu" or not s.simulated_only]
    return pytest.mark.parametrize(("device", "snippet"), cases, ids=[f"{d}-{s.name}" for d, s in cases])


@on_devices(WRONG)
def test_wrong_answers_are_caught(device, snippet):
    outcome = outcomes(device)[snippet.name]
    # A real GPU words some of its errors in another way.
    expected = snippet.errors if device == "simgpu" else tuple(error.partition(":")[0] for error in snippet.errors)
    assert outcome.startswith(expected), outcome or "went unnoticed"


@on_devices(RIGHT)
def test_right_answers_give_the_values_and_gradients_of_the_cpu(device, snippet):
    assert outcomes(device)[snippet.name] == ""


@pytest.mark.parametrize("name", FACTS)
def test_fact(name):
    assert outcomes("simgpu")[name] == ""


def test_an_old_torch_is_refused(monkeypatch):
    monkeypatch.setattr(torch, "__version__", "2.9.1+cpu")
    with pytest.raises(simgpu.SimulationError, match="too old"):
        simgpu.activate()


def test_a_process_that_uses_a_gpu_is_refused(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: True)
    with pytest.raises(simgpu.SimulationError, match="process of its own"):
        simgpu.activate()


DAMAGES = [
    "simgpu_rules.Rules.check = lambda *args: None",
    "simgpu._patch_module = lambda: None",
    "simgpu_rules.STAND_INS[torch.ops.aten._thnn_fused_gru_cell.default] = lambda x, *rest: (x[:, :4], x)",
    "del torch._C._acc.create_empty_tensor",
]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="saves starting a process for each")
def test_a_broken_set_up_fails_loudly_and_stays_broken():
    code = """
import os, sys, torch
from grader.worker import simgpu, simgpu_rules
for damage in sys.argv[1:]:
    if not os.fork():
        exec(damage)
        for attempt in range(2):
            try:
                simgpu.activate()
                print("nothing noticed")
            except simgpu.SimulationError as error:
                print("noticed", flush=True)
        os._exit(0)
    os.wait()
"""
    assert python("-c", code, *DAMAGES).split() == ["noticed"] * 2 * len(DAMAGES)
