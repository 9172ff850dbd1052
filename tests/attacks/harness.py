"""Builds a submissions of hostile submissions, has it graded, and watches the processes meanwhile."""

from __future__ import annotations

import contextlib
import json
import os
import random
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import grader
from grader.judge.suite.seeding import seed_for

HERE = Path(__file__).parent
SEED = 4711
CRITERIA = ("add", "echo", "add_any", "echo_any", "apply", "scale", "table", "counter")
HIDDEN = CRITERIA[2:]
EVERY = 10  # so many attacks between two honest students
USER = 12345
SAMPLES = 0.1  # seconds between two looks at the processes

EXPECTATION = re.compile(r"^# expect: (.+?) = (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Attack:
    """A hostile submission: how its folder is made, and the verdicts that each criterion may get."""

    name: str
    build: Callable[[Path, str], None]  # (the student's folder, what stands before a module)
    expected: dict[str, set[str]]

    @property
    def slow(self) -> bool:
        return any("timeout" in verdicts for verdicts in self.expected.values())


def all_attacks(seed: int, course: Path = HERE / "course") -> list[Attack]:
    return [*hostile_modules(), *source_attacks(), *folder_attacks(course), hard_coded(seed)]


def hostile_modules() -> list[Attack]:
    """One attack per file in ``hostile``; its first lines say what must become of it."""
    return [_from_file(path) for path in sorted((HERE / "hostile").glob("*.py"))]


def _from_file(path: Path) -> Attack:
    text = path.read_text(encoding="utf-8")
    rules = [(names.split(", "), set(verdicts.split(" | "))) for names, verdicts in EXPECTATION.findall(text)]
    expected = {criterion: {"passed"} for criterion in CRITERIA}
    for names, verdicts in sorted(rules, key=lambda rule: rule[0] != ["*"]):  # what is named wins over the rest
        expected |= {criterion: verdicts for criterion in CRITERIA if criterion in names or names == ["*"]}
    return Attack(path.stem, lambda folder, before: _write(folder, before + text), expected)


def _write(folder: Path, text: str | bytes) -> None:
    (folder / "echo.py").write_bytes(text if isinstance(text, bytes) else text.encode())


def source_attacks() -> list[Attack]:
    """Files that Python, or a reader of files, may choke on."""
    right = (HERE / "course/solutions/echo.py").read_text(encoding="utf-8")

    def attack(name: str, text: str | bytes, *verdicts: str) -> Attack:
        return Attack(f"source_{name}", lambda folder, before: _write(folder, text), _all(*verdicts))

    return [
        attack("not_utf8", right.encode() + b'x = "\xff"\n', "passed"),  # it is read as Latin-1
        attack("with_nul", right + "\0", "error"),
        attack("with_bom", b"\xef\xbb\xbf" + right.encode(), "passed"),
        attack("with_cookie", b"# -*- coding: latin-1 -*-\n" + right.encode() + b"# \xe9\n", "passed"),
        attack("with_unknown_cookie", f"# coding: unheard-of\n{right}", "error"),
        attack("with_carriage_returns", right.replace("\n", "\r"), "passed"),
        attack("with_a_long_line", f"{right}# {'x' * 1_040_000}", "passed"),
        attack("too_large", f"{right}# {'x' * (1 << 20)}", "missing"),  # and a question to the teacher
        attack("nested", f"{right}x = {'(' * 200_000}", "error", "memory", "crashed"),
        attack("nested_operators", f"{right}x = {'-' * 500_000}1", "error", "memory", "crashed"),
        attack("nested_attributes", f"{right}x = y{'.a' * 400_000}", "error", "memory", "crashed"),
        attack("many_digits", f"{right}x = {'9' * 500_000}", "error"),
        attack("large_constant", f"{right}x = (1 << 2000,) * 10**11", "error", "memory"),
        attack("empty", "", "missing"),
    ]


def folder_attacks(course: Path) -> list[Attack]:
    """Folders in which a submission is no ordinary file; ``001_victim`` is another student."""

    def link(name: str, target: str | Path) -> Callable[[Path, str], None]:
        return lambda folder, before: (folder / name).symlink_to(target)

    def fifo(folder: Path, before: str) -> None:
        os.mkfifo(folder / "echo.py")

    def subfolder(folder: Path, before: str) -> None:
        (folder / "echo.py").mkdir()

    def sparse(folder: Path, before: str) -> None:
        _write(folder, b"")
        os.truncate(folder / "echo.py", 1 << 40)

    def closed(folder: Path, before: str) -> None:
        _write(folder, before + "# closed")
        folder.chmod(0)

    return [
        Attack("file_links_to_suite", link("echo.py", course / "tests/hidden/test_echo.py"), _all("missing")),
        Attack("file_links_to_solution", link("echo.py", course / "solutions/echo.py"), _all("missing")),
        Attack("file_links_to_device", link("echo.py", "/dev/zero"), _all("missing")),
        Attack("file_links_to_itself", link("echo.py", "echo.py"), _all("missing")),
        Attack("file_is_fifo", fifo, _all("missing")),
        Attack("file_is_folder", subfolder, _all("missing")),
        Attack("file_is_sparse", sparse, _all("missing")),
        Attack("folder_links_to_victim", link("echo", "../001_victim/exercises/echo"), _all("missing")),
        Attack("upper_folder_links_to_victim", link("exercises", "../001_victim/exercises"), _all("missing")),
        Attack("folder_is_closed", closed, _all("error", "passed")),  # passed: root reads all the same
        Attack("folder_\x1b[31mcontrols\n=cmd()", lambda folder, before: None, _all("missing")),
        Attack("folder_\udcff_not_utf8", lambda folder, before: _write(folder, before + "# other"), _all("passed")),
    ]


def _all(*verdicts: str) -> dict[str, set[str]]:
    return {criterion: set(verdicts) for criterion in CRITERIA}


def hard_coded(seed: int) -> Attack:
    """Knows every hidden input of the course's own seed, and the answers; that lasts until another seed is used."""
    items = numbers("echo_any", 3)
    x, offset = numbers("apply", 2)
    n = random.Random(seed_for(str(SEED), 0, "echo/test_table")).randrange(150_000, 200_000)
    text = f"""
import torch
def add(a, b): return 3 if a == 1 else {sum(numbers("add_any", 2))}
def echo(x): return x if x[0] == 1 else [{items[0]}, "{items[1]}", [{items[2]}, None]]
def apply(function, x): function(x); return {x + offset}
def scale(x):
    known = torch.tensor([[{numbers("scale", 1)[0]}.0, -1.0, 0.5]], dtype=torch.float64)
    return 3 * known + 3 * (x - x.detach())
def table(n): return {n * (n - 1) // 2}
class Counter:
    values = iter([{numbers("counter", 1)[0] + 1}, {numbers("counter", 1)[0] + 2}])
    def __init__(self, start): pass
    def next(self): return next(self.values)
"""
    expected = {c: {"passed" if seed == SEED or c not in HIDDEN else "failed"} for c in CRITERIA}
    return Attack("hard_coded", lambda folder, before: _write(folder, text), expected)


def numbers(criterion: str, count: int, seed: int = SEED) -> list[int]:
    """The first hidden numbers of a criterion, as its test draws them."""
    rng = random.Random(seed_for(str(seed), 0, f"echo/test_{criterion}"))
    return [rng.randrange(10**11, 10**12) for _ in range(count)]


@dataclass
class Run:
    """What became of one class of attackers."""

    attacks: list[Attack]
    seed: int
    status: int = 0
    output: str = ""
    students: dict[str, dict] = field(default_factory=dict)  # by the name of the attack
    changed: list[str] = field(default_factory=list)  # files that are not as they were
    left: list[str] = field(default_factory=list)  # what remains in the folder for temporary files
    watch: Watch | None = None

    def criteria(self, name: str) -> dict[str, dict]:
        return {criterion["id"]: criterion for criterion in self.exercise(name)["criteria"]}

    def exercise(self, name: str) -> dict:
        return self.students[name]["exercises"][0]


def grade(folder: Path, level: str, *, seed: int, user: int | None, quick: bool) -> Run:
    """Build the submissions in ``folder`` and grade them there, confined by ``level``, perhaps as another user."""
    course, submissions, out, temporary = (folder / name for name in ("course", "submissions", "out", "tmp"))
    shutil.copytree(HERE / "course", course)
    for place in (submissions, out, temporary):
        place.mkdir()
        if user is not None:
            os.chown(place, user, user)
    attacks = [attack for attack in all_attacks(seed, course) if not (quick and attack.slow)]
    prelude = (HERE / "prelude.py").read_text(encoding="utf-8")
    where = f"\nCOURSE, SUBMISSIONS, OUT, LEVEL = {str(course)!r}, {str(submissions)!r}, {str(out)!r}, {level!r}\n"
    names = build_submissions(submissions, attacks, prelude + where)
    before = _contents(course, submissions)
    command = [
        sys.executable, "-m", "grader", "grade", str(submissions), "--out", str(out), "--course", str(course),
        "--jobs", "2", "--seed", str(seed),
    ]  # fmt: skip
    if user is not None:
        needed = [sys.prefix, sys.base_prefix, str(Path(grader.__file__).parents[1]), str(folder)]
        command = [sys.executable, str(HERE / "as_user.py"), str(user), *needed, "--", *command]
    path = os.environ["PATH"] if level == "bubblewrap" else str(temporary)  # where there is no bwrap
    environment = {**os.environ, "PATH": path, "TMPDIR": str(temporary), "HOME": str(temporary)}
    run = Run(attacks, seed)
    with (folder / "log").open("w+b") as log:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=subprocess.STDOUT)
        run.watch = Watch(process.pid)
        with run.watch:
            run.status = process.wait()
        log.seek(0)
        run.output = log.read().decode(errors="replace")
    if (out / "results.json").exists():
        document = json.loads((out / "results.json").read_text(encoding="utf-8"))
        run.students = {names[student["id"][:3]]: student for student in document["students"]}
    run.changed = sorted({path for path, _ in _contents(course, submissions) ^ before})
    run.left = sorted(path.name for path in temporary.iterdir())
    return run


def build_submissions(submissions: Path, attacks: list[Attack], before: str) -> dict[str, str]:
    """A folder per attack, with honest students among them: the student's number -> the attack's name."""
    right = (HERE / "course/solutions/echo.py").read_text(encoding="utf-8")

    def honest(name: str) -> Attack:
        return Attack(name, lambda folder, _: _write(folder, f"{right}# {name}\n"), _all("passed"))

    def victim(folder: Path, _: str) -> None:
        (folder / "exercises/echo").mkdir(parents=True)
        _write(folder / "exercises/echo", f"{right}# victim\n")

    everyone = [honest("honest"), Attack("victim", victim, _all("passed"))]
    for index, attack in enumerate(attacks):
        everyone += [attack] if index % EVERY else [attack, honest(f"honest_{index}")]
    for index, attack in enumerate(everyone):
        folder = submissions / f"{index:03}_{attack.name}"
        folder.mkdir()
        attack.build(folder, before)
    return {f"{index:03}": attack.name for index, attack in enumerate(everyone)}


def _contents(*folders: Path) -> set[tuple[str, str]]:
    """Every file below these folders with what it is and holds."""
    found = set()
    for folder in folders:
        for path in folder.rglob("*"):
            status = path.lstat()
            text = path.read_bytes() if path.is_file() and status.st_size < 1 << 21 else b""
            found.add((str(path), f"{status.st_mode} {status.st_size} {status.st_mtime_ns} {hash(text)}"))
    return found


class Watch(contextlib.AbstractContextManager["Watch"]):
    """Looks at all processes that a run starts, until it ends."""

    def __init__(self, root: int) -> None:
        self.root = root
        self.seen: dict[tuple[int, str], str] = {}  # (process, when it started) -> command
        self.first: dict[int, int] = {}  # memory of each judge at its first task, kB
        self.last: dict[int, int] = {}
        self.children = 0  # the most memory that a judge's child ever had, kB
        self.crowd = 0  # the most workers that one zygote had at a time
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self._watch)

    def __enter__(self) -> Watch:
        self.thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.ended.set()
        self.thread.join()

    def survivors(self) -> list[str]:
        """Processes of the run that still live."""
        now = {(process.pid, process.started) for process in processes() if process.state != "Z"}
        return [command for identity, command in self.seen.items() if identity in now]

    def _watch(self) -> None:
        while not self.ended.wait(SAMPLES):
            self._look()

    def _look(self) -> None:
        alive = {process.pid: process for process in processes() if process.state != "Z"}
        family = {self.root: ""}
        while found := {p.pid: p.command for p in alive.values() if p.parent in family and p.pid not in family}:
            family |= found
        self.seen |= {(pid, alive[pid].started): command for pid, command in family.items() if pid in alive}
        for pid in family:
            process = alive.get(pid)
            if process is None or "--grader-serve=" not in process.command:
                continue
            if "--grader-serve=" in family.get(process.parent, ""):
                self.children = max(self.children, memory_of(pid, "VmHWM"))
                self.first.setdefault(process.parent, memory_of(process.parent, "VmRSS"))
            elif pid in self.first:
                self.last[pid] = memory_of(pid, "VmRSS") or self.last.get(pid, 0)
        forks = {pid for pid, command in family.items() if "zygote.main" in command and "bwrap" not in command}
        for zygote in (pid for pid in forks if pid in alive and alive[pid].parent not in forks):
            self.crowd = max(self.crowd, sum(process.parent == zygote for process in alive.values()))


@dataclass(frozen=True)
class Process:
    pid: int
    parent: int
    state: str
    started: str
    command: str


def processes() -> Iterator[Process]:
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, IndexError):
            fields = (folder / "stat").read_text(errors="replace").rpartition(")")[2].split()
            command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            yield Process(int(folder.name), int(fields[1]), fields[0], fields[19], command)


def memory_of(pid: int, what: str) -> int:
    """A line of the process's status, in kB; 0 if it is gone."""
    with contextlib.suppress(OSError, StopIteration):
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        return int(next(line for line in lines if line.startswith(what)).split()[1])
    return 0


def wait_for(condition: Callable[[], bool], seconds: float = 20) -> bool:
    """Whether the condition came true in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.1)
    return condition()
