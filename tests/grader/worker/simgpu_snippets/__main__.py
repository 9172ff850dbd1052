"""Run every snippet on the CPU and on the device, and print what became of it, as JSON; nothing is good news."""

from __future__ import annotations

import json
import os
import sys
import warnings
from typing import Any

import torch

from simgpu_snippets import SNIPPETS, Lab, OutputElsewhereError, Snippet, facts

TOLERANCES = {"simgpu": {"rtol": 1e-4, "atol": 1e-5}, "cuda": {"rtol": 2e-3, "atol": 2e-4}}


def results(snippet: Snippet, device: str) -> list[torch.Tensor]:
    """The outputs and the gradients of all that the lab handed out, brought home."""
    lab = Lab(device)
    torch.manual_seed(0)
    outputs = list(flatten(snippet.function(lab)))
    tensors = [x for x in outputs if isinstance(x, torch.Tensor)]
    elsewhere = [x.device for x in tensors if x.device.type != device]
    if elsewhere:
        raise OutputElsewhereError(f"an output is on {elsewhere[0]}")
    ends = [x for x in tensors if x.requires_grad]
    if ends:
        weights = [torch.linspace(0.5, 1.5, x.numel()).view(x.shape).to(x.device, x.dtype) for x in ends]
        outputs += torch.autograd.grad(ends, lab.leaves, weights, allow_unused=True)
    return [x.detach().cpu() if isinstance(x, torch.Tensor) else torch.tensor(x or 0.0) for x in outputs]


def flatten(value: Any) -> Any:
    if isinstance(value, list | tuple):
        for item in value:
            yield from flatten(item)
    else:
        yield value


def outcome(snippet: Snippet, device: str) -> str:
    """What became of the snippet: nothing to report, or what went wrong."""
    try:
        expected = results(snippet, "cpu")
    except Exception as error:
        return f"fails on the CPU: {type(error).__name__}: {error}"
    try:
        found = results(snippet, device)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    try:
        torch.testing.assert_close(found, expected, equal_nan=True, **TOLERANCES[device])
    except AssertionError as error:
        return f"other values: {error}"
    return ""


def in_process(snippets: list[Snippet], device: str) -> dict[str, str]:
    return {snippet.name: outcome(snippet, device) for snippet in snippets}


def in_children(snippets: list[Snippet], device: str) -> dict[str, str]:
    """The outcomes, from a child process that is replaced when it dies: one crash must not hide the others."""
    outcomes: dict[str, str] = {}
    while len(outcomes) < len(snippets):
        rest = snippets[len(outcomes) :]
        reader, writer = os.pipe()
        child = os.fork()
        if not child:
            for snippet in rest:
                os.write(writer, json.dumps(outcome(snippet, device)[:2000]).encode() + b"\n")
            os._exit(0)
        os.close(writer)
        with open(reader, encoding="utf-8") as lines:
            outcomes |= {snippet.name: json.loads(line) for snippet, line in zip(rest, lines)}  # noqa: B905
        _, status = os.waitpid(child, 0)
        if status:
            outcomes[snippets[len(outcomes)].name] = f"the process died with status {status}"
    return outcomes


def main(device: str) -> None:
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    chosen = [s for s in SNIPPETS.values() if device == "simgpu" or not s.simulated_only]
    if device == "simgpu":
        facts.activate_and_watch()
        outcomes = in_children(chosen, device) if hasattr(os, "fork") else in_process(chosen, device)
        outcomes |= {name: facts.outcome(name) for name in facts.FACTS}
    else:
        outcomes = in_process(chosen, device)
    print(json.dumps(outcomes))


if __name__ == "__main__":
    main(sys.argv[1])
