"""Starts zygotes and asks them for workers: the judge's side of the sandbox."""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import msgspec

from grader.sandbox.layers import (
    ENTER,
    NAMESPACES,
    UNPRIVILEGED,
    Layers,
    library_folders,
    public_folder,
    reachable_by_others,
    site_packages,
)
from grader.worker.confine import Plan

START_UP = 120.0  # seconds for the zygote to import torch on a busy machine
ANSWER = 30.0  # seconds for the zygote to fork or to reap
END_BY_ITSELF = 2.0  # seconds
DIE = 10.0  # seconds for a process that was killed
MEMORY = 1 << 30  # bytes for a worker beyond what the zygote has
CPU = 600  # seconds of computing for a worker in all its life
TEMPORARY_FOLDER = "/tmp"  # noqa: S108  # inside bubblewrap, a file system of its own
TEMPORARY = 64 << 20  # bytes of temporary files for the zygote's own warm-up


class ZygoteDied(Exception):  # noqa: N818  # an event that the judge handles, not a bug
    """The zygote is gone; a new one must be started."""


class Memory(msgspec.Struct, frozen=True, kw_only=True):
    """Bytes of a process."""

    own: int = 0
    files: int = 0  # of libraries that are mapped
    peak: int = 0  # the most that it ever had of both


class Worker:
    """A confined process: its socket, and a hold on its life."""

    def __init__(self, control: socket.socket, channel: socket.socket, number: int, process: int) -> None:
        self.control = control  # of the zygote that forked it
        self.channel = channel
        self.buffer = bytearray()  # what came over it and has not been looked at
        self.number = number
        self.process = process

    def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self.process, signal.SIGKILL)

    def memory(self) -> Memory:
        """What it holds now and held at most, as the kernel counts: nothing inside can forge this."""
        try:
            pid = next(
                line.split()[1]
                for line in Path(f"/proc/self/fdinfo/{self.process}").read_text().splitlines()
                if line.startswith("Pid:")
            )
            lines = Path(f"/proc/{pid}/status").read_text().splitlines()
            kilobytes = {line.split()[0]: int(line.split()[1]) for line in lines if line.startswith(("Rss", "VmHWM"))}
            # Shared memory counts too: a private table and a shared one take the same room.
            own = kilobytes["RssAnon:"] + kilobytes["RssShmem:"]
            return Memory(own=own << 10, files=kilobytes["RssFile:"] << 10, peak=kilobytes["VmHWM:"] << 10)
        except (OSError, LookupError, ValueError, StopIteration):  # it died meanwhile
            return Memory()


class Zygote:
    """One zygote process behind its control socket."""

    def __init__(self, layers: Layers, *, torch: bool = True) -> None:
        self.layers = layers
        inside = _inside if layers.level == "bubblewrap" else str
        readable = (*map(inside, library_folders()), "/dev/null", "/dev/zero", "/dev/urandom")
        self.plan = Plan(
            landlock=not layers.landlock,
            seccomp=not layers.seccomp,
            readable=readable,
            user=_user(layers),
            memory=min(MEMORY, share_of_machine()),
            cpu=CPU,
            torch=torch,
            threads=layers.level == "bubblewrap" or _user(layers) is not None,
        )
        self.stage = tempfile.mkdtemp(prefix="grader-zygote-", dir=public_folder())
        Path(self.stage).chmod(0o755)
        self.control, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with far:
            command = self._command(far.fileno())
            self.process = subprocess.Popen(  # noqa: S603  # arguments that we made
                command, pass_fds=[far.fileno()], cwd="/", env=_environment(), start_new_session=True,
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            )  # fmt: skip
        self.accelerated: socket.socket | None = None  # the control of a second zygote, with the accelerator on
        self.ready = False
        self.undying = 0  # workers that were killed and still live

    def wait(self) -> None:
        """Until it has imported everything; needed once, before the first worker."""
        if not self.ready:
            self._wait_for(self.control)
            self.ready = True
            # Bubblewrap has what was bound there. Now, because who is killed does not clean up.
            shutil.rmtree(self.stage, ignore_errors=True)

    def accelerate(self) -> socket.socket:
        """The control of the second zygote, which is started the first time."""
        self.wait()
        if self.accelerated is None:
            near, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            self._send(self.control, b"A", far)
            self._wait_for(near)
            self.accelerated = near
        return self.accelerated

    def fork(self, *, accelerated: bool = False) -> Worker:
        """A new worker, confined and waiting for its first message."""
        self.wait()
        control = self.accelerate() if accelerated else self.control
        near, far = socket.socketpair()
        try:
            self._send(control, b"F", far)
            number, descriptors, _, _ = socket.recv_fds(control, 64, 1)
            if not number or not descriptors:
                raise ZygoteDied(self._last_words())
        except (OSError, ZygoteDied) as error:
            near.close()
            raise error if isinstance(error, ZygoteDied) else ZygoteDied(str(error)) from error
        return Worker(control, near, int(number), descriptors[0])

    def end(self, worker: Worker) -> int:
        """Kill a worker if it still lives; how it ended (an exit status, or minus the signal).

        A killed process may still be busy in the kernel. That is the student's doing and no fault of the zygote's: it
        is left to die, and whoever has this zygote should soon have a new one.
        """
        worker.kill()
        worker.channel.close()
        dead = select.poll()
        dead.register(worker.process, select.POLLIN)
        ended = bool(dead.poll(DIE * 1000))
        os.close(worker.process)
        if not ended:
            self.undying += 1
            return -signal.SIGKILL
        try:
            worker.control.send(b"R%d" % worker.number)
            return int(self._answer(worker.control))
        except OSError as error:
            raise ZygoteDied(str(error)) from error

    def close(self) -> None:
        """It ends by itself when its control socket closes; if not, it is ended."""
        self.control.close()
        if self.accelerated is not None:
            self.accelerated.close()
        try:
            self.process.wait(END_BY_ITSELF if self.ready else 0)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(DIE)
        if self.process.stderr:
            self.process.stderr.close()
        shutil.rmtree(self.stage, ignore_errors=True)

    def _wait_for(self, control: socket.socket) -> None:
        control.settimeout(START_UP)
        self._answer(control)
        control.settimeout(ANSWER)

    def _send(self, control: socket.socket, request: bytes, descriptor: socket.socket) -> None:
        with descriptor:
            try:
                socket.send_fds(control, [request], [descriptor.fileno()])
            except OSError as error:
                raise ZygoteDied(str(error)) from error

    def _answer(self, control: socket.socket) -> bytes:
        try:
            answer = control.recv(64)
        except TimeoutError as error:
            raise ZygoteDied("no answer in time") from error
        if not answer:
            raise ZygoteDied(self._last_words())
        return answer

    def _last_words(self) -> str:
        self.process.kill()
        _, words = self.process.communicate()
        return words.decode(errors="replace")[-2000:].strip() or f"ended with {self.process.returncode}"

    def _command(self, control: int) -> list[str]:
        plan = msgspec.json.encode(self.plan).decode()
        if self.layers.level != "bubblewrap":
            return [sys.executable, "-I", "-c", _boot(_site(inside=False)), str(control), plan]
        python = str(Path(sys.executable).resolve())
        start = [python, "-I", "-S", "-c", _boot(_site(inside=True)), str(control), plan]
        folders = library_folders()
        staged = os.getuid() == 0
        bind: list[str] = []
        for folder in ("/usr", *(f for f in folders if not f.startswith(("/usr/", "/lib")))):
            index = folders.index(folder) if staged and folder in folders else None
            bind += ["--ro-bind", folder if index is None else f"{{{index}}}", _inside(folder)]
        for link in ("/lib", "/lib64", "/bin"):
            if Path(link).is_symlink():
                bind += ["--symlink", str(Path(link).readlink()), link]
            elif Path(link).exists():
                bind += ["--ro-bind", link, link]
        bwrap = [
            shutil.which("bwrap") or "bwrap", *NAMESPACES, "--unshare-cgroup-try", "--die-with-parent", "--new-session",
            "--cap-drop", "ALL", "--hostname", "worker", "--proc", "/proc", "--dev", "/dev",
            "--size", str(TEMPORARY), "--tmpfs", TEMPORARY_FOLDER, *bind, "--remount-ro", "/dev", "--remount-ro", "/",
            *start,
        ]  # fmt: skip
        if not staged:
            return bwrap
        return [sys.executable, "-I", "-S", ENTER, str(UNPRIVILEGED), self.stage, *folders, "--", *bwrap]


def _user(layers: Layers) -> int | None:
    """Whom a worker of root's becomes; bubblewrap sees to that earlier, and Python must stay within reach."""
    if os.getuid() != 0 or layers.level == "bubblewrap":
        return None
    return UNPRIVILEGED if all(map(reachable_by_others, library_folders())) else None


def share_of_machine() -> int:
    """Bytes for one process per core, if all of them together may have half of the machine's memory."""
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return machine // 2 // (os.cpu_count() or 1)


def _inside(path: str) -> str:
    """Where a path is found inside bubblewrap: our own files in a place of their own, all else where it was."""
    own = str(Path(__file__).resolve().parents[1])
    return path.replace(own, "/run/grader/grader", 1) if path.startswith(own) else path


def _site(*, inside: bool) -> list[str]:
    root = "/run/grader" if inside else str(Path(__file__).resolve().parents[2])
    return [root, *site_packages()]


def _boot(site: list[str]) -> str:
    """The zygote's start: nothing of the environment, only these folders for imports."""
    return (
        f"import sys; sys.path[:0] = {site!r}; import msgspec; from grader.worker import zygote, confine; "
        "zygote.main(int(sys.argv[1]), msgspec.json.decode(sys.argv[2], type=confine.Plan))"
    )


def _environment() -> dict[str, str]:
    return {
        "PATH": "/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "HOME": TEMPORARY_FOLDER,
        "TMPDIR": TEMPORARY_FOLDER,
        "PYTHONDONTWRITEBYTECODE": "1",
        **{f"{name}_NUM_THREADS": "1" for name in ("OMP", "MKL", "OPENBLAS", "NUMEXPR")},
    }
