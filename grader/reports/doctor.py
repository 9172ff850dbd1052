"""``grader doctor`` for the terminal: the layers of confinement, and what a worker could not do."""

from __future__ import annotations

from typing import Any

import msgspec
from rich.console import Console
from rich.markup import escape

from grader.judge.doctor import SIMULATION
from grader.judge.suite.accelerator import SIMULATED, real_accelerator
from grader.sandbox.layers import Layers

NAMES = {"bubblewrap": "bubblewrap (namespaces)", "landlock": "landlock (files)", "seccomp": "seccomp (system calls)"}


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
        console.print("  grader grade refuses to run here, unless you say --unconfined.")
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
