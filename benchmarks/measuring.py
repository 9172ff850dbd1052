"""What a command and everything that it starts cost: CPU seconds and memory.

CPU seconds come from a control group of its own, where this user may make one (as root, or in a delegated group). It
also counts what ends inside a sandbox, which no parent waits for, and nothing of what else runs on the machine. Where
none can be made, they are those of the whole machine: then nothing else may run.

Memory is the largest sum of the PSS of all processes (shared pages are divided among those that share them), looked at
every fifth of a second by this process.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

GROUPS = Path("/sys/fs/cgroup")
LOOK = 0.2  # seconds between two looks at the memory
NUMBERS = itertools.count()


@dataclass
class Cost:
    cpu: float = 0.0  # seconds
    wall: float = 0.0
    memory: int = 0  # bytes
    counted: str = ""  # how the CPU seconds were counted


@dataclass
class Done:
    """A command that has ended, or was ended."""

    status: int | None  # None: it was stopped after its time
    output: str


@dataclass
class Meter:
    """Runs commands and adds up what they cost."""

    cost: Cost = field(default_factory=Cost)
    group: Path | None = None

    def run(
        self, command: Sequence[str], *, cwd: Path, limit: float, env: Mapping[str, str] | None = None, log: Path
    ) -> Done:
        """Run it to its end, or for ``limit`` seconds; then it and all that it started is killed."""
        entering = (
            [] if self.group is None else ["/bin/sh", "-c", f'echo $$ > {self.group}/cgroup.procs; exec "$@"', "-"]
        )
        with log.open("wb") as output:
            process = subprocess.Popen(  # noqa: S603
                [*entering, *command], cwd=cwd, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                env={**os.environ, **(env or {})}, start_new_session=True,
            )  # fmt: skip
            try:
                status: int | None = process.wait(limit)
            except subprocess.TimeoutExpired:
                status = None
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            self.kill()
            process.wait()
        return Done(status, log.read_text(encoding="utf-8", errors="replace"))

    def processes(self) -> list[int]:
        return [] if self.group is None else [int(pid) for pid in (self.group / "cgroup.procs").read_text().split()]

    def kill(self) -> None:
        """End what a command has left behind."""
        for pid in self.processes():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)


@contextlib.contextmanager
def measure() -> Iterator[Meter]:
    """A meter whose ``cost`` is complete at the end of the block."""
    group = _make_group()
    meter = Meter(group=group)
    stop = threading.Event()
    watcher = threading.Thread(target=_watch, args=[meter, stop], daemon=True)
    start, before = time.monotonic(), 0.0 if group else _machine()
    watcher.start()
    try:
        yield meter
    finally:
        stop.set()
        watcher.join()
        meter.cost.wall = time.monotonic() - start
        meter.cost.counted = "control group" if group else "whole machine"
        meter.cost.cpu = _used(group) if group else _machine() - before
        if group:
            _remove(meter, group)


def _make_group() -> Path | None:
    """A new group that counts CPU time: of version 2, or of cpuacct in version 1."""
    for parent in _own_groups():
        group = parent / f"measuring-{os.getpid()}-{next(NUMBERS)}"
        try:
            group.mkdir()
            if (group / "cpuacct.usage").exists() or (group / "cpu.stat").exists():
                return group
            group.rmdir()
        except OSError:
            continue
    return None


def _own_groups() -> Iterator[Path]:
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        if "cpuacct" in controllers.split(","):
            yield from (GROUPS / name / path.lstrip("/") for name in (controllers, "cpuacct"))
    yield from (
        GROUPS / line.split("::", 1)[1].lstrip("/")
        for line in Path("/proc/self/cgroup").read_text().splitlines()
        if line.startswith("0::") and (GROUPS / "cgroup.controllers").exists()
    )


def _used(group: Path) -> float:
    usage = group / "cpuacct.usage"
    if usage.exists():
        return int(usage.read_text()) / 1e9
    stat = dict(line.split() for line in (group / "cpu.stat").read_text().splitlines())
    return int(stat["usage_usec"]) / 1e6


def _machine() -> float:
    user, nice, system, _, _, irq, softirq, *_ = map(int, Path("/proc/stat").read_text().split()[1:9])
    return (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK")


def _watch(meter: Meter, stop: threading.Event) -> None:
    while not stop.wait(LOOK):
        meter.cost.memory = max(meter.cost.memory, sum(map(_memory, meter.processes())))


def _memory(pid: int) -> int:
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0
    return next((int(line.split()[1]) << 10 for line in text.splitlines() if line.startswith("Pss:")), 0)


def _remove(meter: Meter, group: Path) -> None:
    for _ in range(50):
        meter.kill()
        with contextlib.suppress(OSError):
            group.rmdir()
            return
        time.sleep(0.1)
