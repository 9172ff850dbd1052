"""A real cluster: processes that are killed, a scheduler that is lost, and a course that is not the same."""

import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.grader.conftest import SECRET, make_tiny, write

distributed = pytest.importorskip("distributed", reason="needs the extra `cluster`")
pytestmark = [pytest.mark.attack, pytest.mark.all_cores]  # they wait for processes

CODES = ("return a + b", "return a - b", "raise ValueError(a)")


@pytest.fixture
def submissions(tmp_path):
    """All different, so that each is judged."""
    for number in range(24):
        text = f"def add(a, b):\n    {CODES[number % 3]}\n# {number}\n"
        write(tmp_path / f"submissions/s{number:02}/addition.py", text)
    return tmp_path / "submissions"


@pytest.fixture
def start():
    """Start a command; what is left of it in the end is killed."""
    processes = []

    def run(*words, **how):
        command = [sys.executable, *(str(word) for word in words)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **how)
        processes.append(process)
        return process

    yield run
    for process in processes:
        process.kill()
        process.wait()
        process.stdout.close()


def grade(submissions, out, *options):
    return ("-m", "grader", "grade", submissions, "--out", out, "--exercise", "addition", *options)


def judged(out):
    try:
        return sqlite3.connect(out / "journal.sqlite").execute("SELECT count(*) FROM graded").fetchone()[0]
    except sqlite3.Error:
        return 0


def wait_until(true, process=None, seconds=60):
    for _ in range(seconds * 50):
        if true():
            return
        assert process is None or process.poll() is None, process.communicate()[0]
        time.sleep(0.02)
    raise AssertionError("it took too long")


def results(out):
    """The whole file, but for the two measurements in it: when it was written and how long judging took."""
    text = (out / "results.json").read_text()
    return re.sub(r'("seconds": )[0-9.e-]+|("at": )"[^"]*"', r"\1\2", text)


def workers_below(process):
    """Processes of cluster workers that this one has started."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            words = Path(f"/proc/{pid}/cmdline").read_text()
            parent = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        if "spawn_main" in words and parent == process.pid:
            found.append(int(pid))
    return found


def test_a_cluster_worker_that_is_killed_changes_nothing(tiny, submissions, start, tmp_path):
    local = start(*grade(submissions, tmp_path / "local", "--jobs", 1, "--course", tiny))
    output, _ = local.communicate()
    assert local.returncode == 0, output
    out = tmp_path / "out"
    run = start(*grade(submissions, out, "--cluster", "local:2", "--course", tiny))
    wait_until(lambda: judged(out) >= 5, run)
    victims = workers_below(run)
    assert len(victims) == 2
    os.kill(victims[0], signal.SIGKILL)
    assert judged(out) < 24
    output, _ = run.communicate()
    assert run.returncode == 0, output
    assert results(out) == results(tmp_path / "local")
    assert judged(out) == 24
    assert not any(Path(f"/proc/{pid}").exists() for pid in victims)


def test_other_suites_are_refused_a_lost_scheduler_ends_the_run_and_a_factory_goes_on(
    tiny, submissions, start, tmp_path, monkeypatch
):
    note = tmp_path / "scheduler.json"
    options = ("--scheduler-file", note, "--no-dashboard")
    scheduler = start("-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0", *options)
    wait_until(note.exists, scheduler)
    address = re.search(r'"tcp://[^"]+"', note.read_text()).group().strip('"')

    def cluster_worker(**environment):
        return start(
            "-m", "distributed.cli.dask_worker", "--no-nanny", "--nthreads", "1", *options,
            env={**os.environ, **environment},
        )  # fmt: skip

    other = make_tiny(tmp_path / "other")
    write(other / "solutions/grading.toml", SECRET.replace("7", "8"))  # whose secret it is comes with the task
    suite = other / "tests/hidden/test_addition.py"
    suite.write_text(suite.read_text() + "# changed\n")
    cluster_worker()
    stranger = cluster_worker(GRADER_COURSE=str(other))
    out = tmp_path / "out"

    with distributed.Client(address, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=60)
    run = start(*grade(submissions, out, "--cluster", address, "--course", tiny))
    output, _ = run.communicate()
    assert run.returncode == 2, output
    assert "nothing was judged" in output
    assert "the files of the course for addition are not those of this machine" in output
    assert len(re.findall(r"tcp://[0-9.:]+ \(on [^)]+\) takes no part", output)) == 1
    assert "the files of the grader" not in output
    assert judged(out) == 0
    assert not (out / "results.json").exists()
    stranger.kill()
    stranger.wait()

    run = start(*grade(submissions, out, "--cluster", address, "--course", tiny))
    wait_until(lambda: judged(out) >= 3, run)
    scheduler.kill()
    output, _ = run.communicate()
    assert run.returncode == 2, output
    assert "the scheduler does not answer any more" in output
    assert "Traceback" not in output
    assert 3 <= judged(out) < 24

    write(
        tmp_path / "ours.py",
        """
        from distributed import LocalCluster

        def small():
            return LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address="127.0.0.1:0")
        """,
    )
    run = start(*grade(submissions, out, "--cluster", "ours:small", "--course", tiny), cwd=tmp_path)
    output, _ = run.communicate()
    assert run.returncode == 0, output
    assert judged(out) == 24, "what was known was not judged again"


def test_without_the_extra_one_sentence_helps_and_without_the_option_nobody_needs_it(tiny, start, tmp_path):
    write(tmp_path / "submissions/s01/addition.py", "def add(a, b):\n    return a + b\n")
    hide = "import sys; sys.modules['dask'] = sys.modules['distributed'] = None; from grader.cli import main; main()"
    words = ("-c", hide, *grade(tmp_path / "submissions", tmp_path / "out", "--course", tiny)[2:])
    with_it = start(*words, "--cluster", "local:2")
    output, _ = with_it.communicate()
    assert with_it.returncode == 2
    assert 'distributed is not installed here. Run: python -m pip install -c constraints.txt -e ".[cluster]"' in output
    without = start(*words)
    output, _ = without.communicate()
    assert without.returncode == 0, output


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (("--cluster", "local:none"), "It takes local:4"),
        (("--cluster", "nothing"), "It takes local:4"),
        (("--cluster", "no_such_module:make"), "No module named 'no_such_module'"),
        (("--cluster", "json:dumps_all"), "has no attribute 'dumps_all'"),
        (("--cluster", "pathlib:Path"), "returned PosixPath"),
        (("--cluster", "local:1", "--unconfined"), "could give orders"),
        (("--cluster", "local:1", "--jobs", "2"), "--jobs"),
    ],
)
def test_what_cannot_be_a_cluster_is_said_at_once(tiny, submissions, grader, tmp_path, words, answer):
    result = grader(*grade(submissions, tmp_path / "out", "--course", tiny)[2:], *words)
    assert result.exit_code == 2
    assert answer in " ".join(result.output.split())
