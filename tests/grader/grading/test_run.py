"""A run can be killed, repeated, run twice at once, or run unconfined."""

import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from grader.judge.suite.seeding import seed_for
from grader.sandbox import layers

CODES = {
    "right": "def add(a, b):\n    return a + b\n",
    "wrong": "def add(a, b):\n    return a - b\n",
    "raises": "def add(a, b):\n    raise ValueError(a)\n",
    "stub": "def add(a, b):\n    raise NotImplementedError\n",
    "crash": "import os\ndef add(a, b):\n    os.abort()\n",
}


@pytest.fixture
def submissions(tmp_path):
    submissions = tmp_path / "submissions"
    for number in range(15):
        kind, code = list(CODES.items())[number % len(CODES)]
        folder = submissions / f"s{number:02}-{kind}"
        folder.mkdir(parents=True)
        (folder / "addition.py").write_text(f"{code}# {number}\n")
    return submissions


def start(tiny, submissions, out, *options, **more):
    command = [sys.executable, "-m", "grader", "grade", submissions, "--out", out, "--course", tiny, *options]
    return subprocess.Popen(
        [str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more
    )


def finish(process):
    output, errors = process.communicate()
    return process.returncode, output + errors


def entries(out):
    try:
        return sqlite3.connect(out / "journal.sqlite").execute("SELECT key, student FROM graded").fetchall()
    except sqlite3.Error:
        return []


def ours():
    """Judges and zygotes that run now."""
    found = set()
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            words = Path(f"/proc/{pid}/cmdline").read_text()
        except OSError:
            continue
        if "--grader-serve=" in words or "zygote.main" in words:
            found.add(pid)
    return found


def students(out):
    """All that was found out, but not when it was written and how long it took."""
    text = re.sub(r'"seconds": [0-9.e-]+', '"seconds": 0', (out / "results.json").read_text())
    return json.loads(text)["students"]


@pytest.mark.all_cores
@pytest.mark.attack
def test_killed_and_resumed_is_as_undisturbed(tiny, submissions, tmp_path):
    before = ours()
    code, output = finish(start(tiny, submissions, tmp_path / "whole"))
    assert code == 0, output
    expected = students(tmp_path / "whole")

    out = tmp_path / "killed"
    moments = random.Random(5)
    seen = 0
    for goal in (1, 4, 8):
        process = start(tiny, submissions, out)
        while process.poll() is None and len(entries(out)) < goal:
            time.sleep(0.01)
        time.sleep(moments.random() * 0.05)
        process.kill()
        finish(process)
        assert len(entries(out)) >= seen
        seen = len(entries(out))
    code, output = finish(start(tiny, submissions, out))
    assert code == 0, output
    assert students(out) == expected
    keys = [key for key, _ in entries(out)]
    assert len(keys) == len(set(keys)), "nothing is graded twice"
    for _ in range(100):
        if ours() <= before:
            break
        time.sleep(0.1)
    assert ours() <= before, "the killed runs left processes behind"


def test_a_second_run_grades_only_what_changed_and_equal_files_once(tiny, submissions, grader, tmp_path):
    out = tmp_path / "out"
    for number in (3, 4):
        (submissions / f"twin{number}").mkdir()
        (submissions / f"twin{number}/addition.py").write_text("def add(a, b):\n    return b + a\n")
    options = ("--out", out, "--course", tiny, "--exercise", "addition")
    assert grader("grade", submissions, *options).exit_code == 0
    first = entries(out)
    assert len(first) == 16  # 15 different files and one for the twins
    assert grader("grade", submissions, *options).exit_code == 0
    assert entries(out) == first
    (submissions / "s00-right/addition.py").write_text(CODES["wrong"])
    assert grader("grade", submissions, *options).exit_code == 0
    assert len(entries(out)) == 17
    suite = tiny / "tests/hidden/test_addition.py"
    suite.write_text(suite.read_text() + "\n# changed\n")
    assert grader("grade", submissions, *options).exit_code == 0
    assert len(entries(out)) == 17 + 16


@pytest.mark.attack
def test_two_runs_at_once_and_ctrl_c(tiny, submissions, grader, tmp_path):
    for number in range(20):  # enough to be still at work when the signal comes
        (submissions / f"loop{number}").mkdir()
        (submissions / f"loop{number}/addition.py").write_text(f"while True: {number}\n")
    out = tmp_path / "out"
    # A shell that runs the tests in the background makes them ignore Ctrl-C.
    process = start(
        tiny,
        submissions,
        out,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    while process.poll() is None and not entries(out):
        time.sleep(0.02)
    second = grader("grade", submissions, "--out", out, "--course", tiny)
    assert second.exit_code == 2
    assert "another run" in second.output
    process.send_signal(signal.SIGINT)
    code, output = finish(process)
    assert code == 130
    assert "Run the same command again to go on" in output


def test_another_seed_draws_other_inputs(tiny, grader, tmp_path):
    """An answer that was hard-coded for one seed does not survive another."""
    submissions = tmp_path / "submissions/s01"
    submissions.mkdir(parents=True)

    def scores(seed):
        out = tmp_path / f"out{seed}"
        options = ("--exercise", "addition", "--course", tiny, "--json", "--seed", seed)
        return json.loads(grader("grade", tmp_path / "submissions", "--out", out, *options).stdout)["students"][0][
            "score"
        ]

    rng = random.Random(seed_for("1", 0, "addition/test_any"))
    a, b = rng.randrange(1000), rng.randrange(1000)
    (submissions / "addition.py").write_text(
        f"KNOWN = {{(1, 1): 2, (5, 0): 5, ({a}, {b}): {a + b}}}\ndef add(a, b):\n    return KNOWN.get((a, b))\n"
    )
    assert scores(1) == 100.0
    assert scores(2) == 75.0


def test_unconfined_must_be_asked_for_and_is_written_down(tiny, submissions, grader, tmp_path, monkeypatch):
    nothing = layers.Layers(bubblewrap="not installed", landlock="too old", seccomp="not built in")
    monkeypatch.setattr(layers, "find_layers", lambda: nothing)
    options = ("--out", tmp_path / "out", "--course", tiny, "--exercise", "addition")
    refused = grader("grade", submissions, *options)
    assert refused.exit_code == 2
    assert "landlock: too old" in refused.output
    assert "--unconfined" in refused.output
    for folder in sorted(submissions.iterdir())[3:]:
        (folder / "addition.py").unlink()
    done = grader("grade", submissions, *options, "--unconfined")
    assert done.exit_code == 4  # nothing is left in the other folders, which is a question
    assert "Confinement: NONE" in done.output
    assert "student code will run as you" in done.stderr
    document = json.loads((tmp_path / "out/results.json").read_text())
    assert document["confinement"]["level"] == "process"
    assert [s["score"] for s in document["students"][:3]] == [100.0, 25.0, 0.0]


def test_without_bubblewrap_the_next_layer_down_is_used_and_named(tiny, submissions, grader, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    result = grader("grade", submissions, "--out", tmp_path / "out", "--course", tiny)
    assert result.exit_code == 0, result.output
    assert "without bubblewrap (not installed" in " ".join(result.output.split())
    document = json.loads((tmp_path / "out/results.json").read_text())
    assert document["confinement"]["level"] == "landlock"
    assert document["confinement"]["layers"]["seccomp"] is None
    assert document["students"][0]["exercises"][0]["score"] == 100.0
