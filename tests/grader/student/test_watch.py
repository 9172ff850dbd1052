"""``grader watch`` in a terminal, as a student uses it."""

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from grader.course import find_course
from grader.results.records import Verdict
from grader.student.watch_runner import Runner

CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
PATIENCE = 30.0  # seconds, on a busy machine


class Terminal:
    """A command in a pseudo-terminal of 80 columns and 24 lines."""

    def __init__(self, *command, **environment):
        self.near, far = pty.openpty()
        self.resize(24, 80)
        inherited = {name: value for name, value in os.environ.items() if name not in ("LINES", "COLUMNS")}
        names = {"TERM": "xterm", **environment}
        self.process = subprocess.Popen(
            command, stdin=far, stdout=far, stderr=far, env={**inherited, **names}, start_new_session=True
        )
        os.close(far)
        self.raw = ""
        self.seen = 0

    def wait_for(self, *words):
        """What was drawn since the last time, up to a screen with all of these words."""
        deadline = time.monotonic() + PATIENCE
        while True:
            screens = self.raw[self.seen :].split("\x1b[H")
            for screen in screens:
                plain = CONTROL.sub("", screen)
                if all(word in plain for word in words) and "q quit" in plain:
                    self.seen = len(self.raw)
                    return plain
            assert time.monotonic() < deadline, (words, CONTROL.sub("", self.raw[-3000:]))
            if select.select([self.near], [], [], 0.1)[0]:
                with contextlib.suppress(OSError):
                    self.raw += os.read(self.near, 1 << 16).decode(errors="replace")

    def resize(self, lines, columns):
        fcntl.ioctl(self.near, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def press(self, key):
        os.write(self.near, key.encode())

    def close(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self.near)


@pytest.fixture
def watching(tiny):
    opened = []

    def begin(**environment):
        command = [sys.executable, "-m", "grader", "watch", "addition", "--course", str(tiny)]
        opened.append(Terminal(*command, **environment))
        return opened[-1]

    yield begin
    for terminal in opened:
        terminal.close()


def save(tiny, code):
    """As editors do: a new file takes the place of the old one."""
    path = tiny / "exercises/addition/addition.py"
    other = path.with_name(".addition.py.swp")
    other.write_text(code)
    other.replace(path)


def test_every_save_gets_its_verdict_whatever_was_saved(tiny, watching):
    terminal = watching()
    terminal.wait_for("3 of 3 points", "All public criteria pass")
    save(tiny, "def add(a, b):\n    print('hello')\n    return a - b\n")
    screen = terminal.wait_for("add(1, 1) must be 2, found 0.", "hello")
    assert "1 of 3 points" in screen
    assert len(screen.splitlines()) <= 24
    assert max(map(len, screen.splitlines())) <= 80
    save(tiny, "def add(a, b:\n")
    terminal.wait_for("was never closed", "def add(a, b:")
    (tiny / "exercises/addition/addition.py").unlink()
    terminal.wait_for("There is no file addition.py")
    save(tiny, "def add(a, b):\n    while True:\n        pass\n")
    terminal.wait_for("running: Small sums")
    save(tiny, "def add(a, b):\n    return a + b\n")  # while the loop still runs
    terminal.wait_for("3 of 3 points", "Small sums  now passes")
    terminal.press("q")
    assert terminal.process.wait(PATIENCE) == 0


def test_an_endless_loop_is_stopped_and_named(tiny, watching):
    save(tiny, "def add(a, b):\n    while True:\n        a += 1\n")
    terminal = watching(NO_COLOR="1")
    screen = terminal.wait_for("Small sums (timeout)", "It was in addition.py:")
    assert "Skipped" in screen or "Zero (timeout)" in screen


def test_keys_give_hints_lists_and_the_next_exercise(tiny, watching):
    save(tiny, "def add(a, b):\n    return a - b\n")
    terminal = watching()
    terminal.wait_for("1 of 3 points")
    save(tiny, "def add(a, b):\n    return b - a\n")
    terminal.wait_for("Stuck? h gives a hint (1 left)")
    terminal.press("h")
    terminal.wait_for("Hint 1 (0 left): Use +.")
    terminal.press("l")
    terminal.wait_for("exercise", "doubling", "% of the public points")
    terminal.press("s")
    terminal.press("n")
    terminal.wait_for("doubling", "5 of 5 points")
    terminal.press("r")
    terminal.wait_for("5 of 5 points")
    terminal.press("q")
    assert terminal.process.wait(PATIENCE) == 0


def test_a_crash_shows_its_line_and_a_full_screen_keeps_the_failure_and_the_hint(tiny, watching):
    save(tiny, "import os\ndef add(a, b):\n    os._exit(3)\n")
    terminal = watching()
    terminal.wait_for("Small sums (crashed)", "In addition.py:3 in add:", "os._exit(3)")
    save(tiny, "def add(a, b):\n    for i in range(99): print('line', i)\n    return a - b\n")
    terminal.wait_for("add(1, 1) must be 2, found 0.", "line 5")
    terminal.press("h")
    terminal.wait_for("Hint 1 (0 left): Use +.", "add(1, 1) must be 2, found 0.")
    terminal.resize(12, 60)
    screen = terminal.wait_for("add(1, 1) must be 2, found 0.", "Hint 1 (0 left): Use +.")
    assert screen.count("\n") < 12
    terminal.press("l")
    assert max(map(len, terminal.wait_for("doubling", "points").splitlines())) <= 60


@pytest.mark.parametrize("end", [signal.SIGHUP, signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_nothing_is_left_behind_however_it_ends(tiny, watching, end):
    save(
        tiny,
        "import os, pathlib\npathlib.Path(__file__).with_name('pid').write_text(str(os.getpid()))\n3 ** 10 ** 10\n",
    )
    terminal = watching()
    terminal.wait_for("running: Small sums")
    written = tiny / "exercises/addition/pid"
    wait_until(lambda: written.is_file() and written.read_text())
    os.kill(terminal.process.pid, end)
    terminal.process.wait(PATIENCE)
    wait_until(lambda: not runs(int(written.read_text())))


def wait_until(true):
    deadline = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def runs(pid):
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_without_fork_the_warm_process_is_replaced(tiny):
    course = find_course(tiny)
    runner = Runner(course, course.exercise("addition"), fork=False)
    try:
        for code, verdict in (("return a + b", Verdict.PASSED), ("return 0", Verdict.FAILED)):
            save(tiny, f"def add(a, b):\n    {code}\n")
            run = runner.order(long=False)
            deadline = time.monotonic() + PATIENCE
            while not run.done and time.monotonic() < deadline:
                runner.poll()
                time.sleep(0.01)
            assert run.result(course, runner.exercise).verdict is verdict
    finally:
        runner.close()
