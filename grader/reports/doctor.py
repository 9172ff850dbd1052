"""``grader doctor``: the layers of confinement, and the proof by a worker that tries to get out."""

from __future__ import annotations

import time
from typing import Any

import msgspec
from rich.console import Console
from rich.markup import escape

from grader.judge.accelerator import SIMULATED, real_accelerator
from grader.judge.callbacks import Callbacks
from grader.judge.outcomes import StudentFailure
from grader.judge.transports.confined import ConfinedTransport
from grader.manifest import Exercise
from grader.sandbox.launcher import Zygote, ZygoteDied
from grader.sandbox.layers import Layers
from grader.wire.messages import Call

NAMES = {"bubblewrap": "bubblewrap (namespaces)", "landlock": "landlock (files)", "seccomp": "seccomp (system calls)"}
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


def doctor_document(layers: Layers, findings: dict[str, str]) -> dict[str, Any]:
    simulation = findings.pop(SIMULATION, "")
    return {
        "level": layers.level,
        "layers": msgspec.structs.asdict(layers),
        "attempts": findings,
        "devices": {"in process": real_accelerator() or SIMULATED, "confined": SIMULATED, "fault": simulation},
    }


def print_doctor(console: Console, layers: Layers, findings: dict[str, str]) -> None:
    console.print(f"Confinement of student code: [bold]{layers.level}[/bold]")
    for name, reason in msgspec.structs.asdict(layers).items():
        word = "[green]in force[/green]" if not reason else f"[red]not in force[/red]: {escape(reason)}"
        console.print(f"  {NAMES[name]:<26} {word}")
    if layers.level == "none":
        console.print("  grader grade refuses to run here, unless told --unconfined.")
        return
    console.print(f"  {'limits (memory, CPU, files)':<26} [green]in force[/green]")
    console.print("A worker tried, and must not be able, to")
    simulation = findings.pop(SIMULATION, "")
    for what, finding in findings.items():
        word = "[green]refused[/green]" if not finding else f"[red]{escape(finding)}[/red]"
        console.print(f"  {what:<26} {word}")
    real = real_accelerator()
    console.print(f"Device criteria run on: {real or 'a simulated accelerator'} in process, a simulated one confined")
    if simulation:
        console.print(f"  [red]which does not work here: {escape(simulation)}[/red]")
