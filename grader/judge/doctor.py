"""A worker that tries to get out: the proof that this machine confines student code."""

from __future__ import annotations

import time

from grader.course import Exercise
from grader.judge.transports.callbacks import Callbacks
from grader.judge.transports.confined import ConfinedTransport
from grader.judge.transports.outcomes import StudentFailure
from grader.sandbox.launcher import Zygote, ZygoteDied
from grader.sandbox.layers import Layers
from grader.wire.messages import Call

LIMIT = 60.0  # seconds for all attempts together
SIMULATION = "simulate an accelerator"

# What a worker tries; each must fail.
ATTEMPTS = {
    "read a file of the course": "open(course)",
    "write a file": "open('/tmp/probe', 'w')",
    "open a socket": "__import__('socket').socket()",
    "start a process": "os.fork() or os._exit(0)",
    "run a program": "os.execv('/bin/true', ['true'])",
    "signal another process": "os.kill(os.getppid(), 0)",
    "read another process": "open(f'/proc/{os.getppid()}/environ').read()",
    "raise its limits": "resource.setrlimit(resource.RLIMIT_NOFILE, (9999, 9999))",
}
PROBE = """
import os, resource
def attempt(code, course):
    try:
        exec(code)
    except OSError as error:
        return ""
    except ValueError as error:
        return ""
    return "it succeeded"
"""


def examine(layers: Layers) -> dict[str, str]:
    """For each attempt an empty string if it failed as it must, else what happened."""
    if layers.level == "none":
        return {}
    try:
        zygote = Zygote(layers)
    except ZygoteDied as error:
        return {"start a confined process": str(error)}
    try:
        deadline = time.monotonic() + LIMIT
        sources = {"probe": ("probe.py", PROBE.encode())}
        probe = Exercise(name="probe", title="", files=("probe.py",), hidden_criteria=0)
        transport = ConfinedTransport(probe, sources, zygote, deadline=lambda: deadline)
        findings = {what: _attempt(transport, code) for what, code in ATTEMPTS.items()}
        return findings | {SIMULATION: _attempt(transport, "raise OSError", simulate=True)}
    finally:
        zygote.close()


def _attempt(transport: ConfinedTransport, code: str, *, simulate: bool = False) -> str:
    try:
        transport.load(simulate=simulate)
        return str(transport.call(Call(target="attempt", args=(code, __file__)), Callbacks()).value)
    except StudentFailure as failure:
        return failure.message
