"""``grader check`` as a student uses it."""

import json
import os
import subprocess
import sys

import pytest


def edit(tiny, exercise, code):
    (tiny / f"exercises/{exercise}/{exercise}.py").write_text(code)


def test_all_passed(tiny, grader):
    result = grader("check", "--course", tiny)
    assert result.exit_code == 0
    assert result.stdout.splitlines()[:2] == [
        "✓ addition  all 2 public criteria",
        "✓ doubling  all 1 public criteria",
    ]
    assert "next: " in result.stdout
    assert result.stderr.splitlines() == ["addition: its tests run ...", "doubling: its tests run ..."]


def test_the_first_failure_is_explained_with_its_hint(tiny, grader):
    edit(tiny, "addition", "def add(a, b):\n    return a - b\n")
    result = grader("check", "addition", "--course", tiny)
    assert result.exit_code == 1
    for words in (
        "✗ Small sums  0/2",
        "One and one is two.",
        "add(1, 1) must be 2, found 0.",
        "Hint: Use +.",
        "✓ Zero",
    ):
        assert words in result.output
    assert "Hint: Zero" not in result.output


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("def add(a, b:\n    return a\n", "does not import (addition.py:1: '(' was never closed)"),
        ("def plus(a, b):\n    return a + b\n", "has no 'add'"),
        ("import sys\nsys.exit()\n", "does not import (addition.py:2: SystemExit)"),
        ("1 / 0\n", "does not import (addition.py:1: ZeroDivisionError: division by zero)"),
        ("import os\nos._exit(0)\n", "does not import (addition.py:2: ended its process) os._exit(0)"),
        ("raise KeyboardInterrupt\n", "does not import (addition.py:1: KeyboardInterrupt) raise KeyboardInterrupt"),
        (None, "There is no file addition.py"),
    ],
)
def test_a_broken_file_gets_a_clear_line_and_the_others_still_run(tiny, grader, code, words):
    if code is None:
        (tiny / "exercises/addition/addition.py").unlink()
    else:
        edit(tiny, "addition", code)
    result = grader("check", "--course", tiny)
    assert result.exit_code == 1
    assert " ".join(result.output.split()).count(words) == 1
    assert "Hint: Use" not in result.output or "import" not in words
    assert "✓ doubling" in result.output
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    ("body", "words", "line"),
    [
        ("os._exit(0)", "✗ Small sums (crashed)", "os._exit(0)"),
        ("raise KeyboardInterrupt", "✗ Small sums (error)", "raise KeyboardInterrupt"),
        ("raise Stop('enough')", "✗ Small sums (error)", "raise Stop('enough')"),
        ("os.abort()", "✗ Small sums (crashed)", "os.abort()"),
    ],
)
def test_however_it_ends_the_line_is_shown_and_no_hint(tiny, grader, body, words, line):
    edit(tiny, "addition", f"import os\nclass Stop(BaseException): pass\ndef add(a, b):\n    {body}\n")
    output = " ".join(grader("check", "addition", "--course", tiny).output.split())
    assert words in output
    assert line in output.partition("addition.py:4 in add")[2]
    assert "Hint" not in output


@pytest.mark.attack
@pytest.mark.parametrize(
    "loop",
    [
        "while True: pass",
        "try:\n        while True: pass\n    except BaseException:\n        while True: pass",
        "while True:\n        try:\n            time.sleep(1)\n        except BaseException:\n            pass",
        "try:\n        while True: pass\n    finally:\n        while True: len('')",
    ],
)
def test_an_endless_loop_is_stopped_even_if_it_swallows_everything(tiny, loop):
    """By hand too, where nobody could kill the process."""
    edit(tiny, "doubling", f"import time\ndef double(a):\n    {loop}\n")
    command = [sys.executable, "-m", "pytest", "exercises", "-q"]
    output = subprocess.run(command, cwd=tiny, capture_output=True, text=True, check=False).stdout
    assert "Twice (5 points): timeout" in output
    assert "in doubling.py:" in output
    assert "addition: 3 of 3 points" in output


@pytest.mark.attack
def test_what_must_be_killed_is_named_and_not_called_again(tiny, grader):
    edit(tiny, "addition", "def add(a, b):\n    return 3 ** 10 ** 10\n")
    output = " ".join(grader("check", "-v", "addition", "--course", tiny).output.split())
    assert "It was in addition.py:2 in add: return 3 ** 10 ** 10" in output
    assert "Skipped: add took too long in an earlier test" in output


@pytest.mark.attack
def test_an_endless_import_shows_its_line(tiny, grader):
    folder = tiny.rename(tiny.with_name("Übung"))
    edit(folder, "addition", "a = 1\nwhile a: a += 1\n")
    output = " ".join(grader("check", "addition", "--course", folder).output.split())
    assert "does not import (addition.py:2: took too long) while a: a += 1" in output
    edit(folder, "addition", "import os\nos._exit(1)\n")
    assert "addition.py:2: ended its process" in grader("check", "addition", "--course", folder).output


def test_json(tiny, grader):
    edit(tiny, "doubling", "def double(a):\n    return 7\n")
    result = grader("check", "--json", "--course", tiny)
    assert result.exit_code == 1
    document = json.loads(result.stdout)
    assert document["passed"] is False
    addition, doubling = document["exercises"]
    assert (addition["score"], addition["hidden_criteria"]) == (100.0, 1)
    assert doubling["criteria"][0]["verdict"] == "failed"
    assert doubling["criteria"][0]["hint"] == "Add it to itself."


def test_wrong_words_get_one_clear_message(tiny, grader):
    result = grader("check", "adition", "--course", tiny)
    assert result.exit_code == 2
    assert result.output.startswith("grader: There is no exercise 'adition'; did you mean 'addition'?")
    (tiny / "course.toml").write_text("format = 1\ntitel = 'x'\n")
    result = grader("check", "--course", tiny)
    assert result.exit_code == 2
    assert "Traceback" not in result.output
    assert len(result.output.splitlines()) == 1


def test_an_unknown_command_gets_a_suggestion(grader):
    result = grader("chekc")
    assert result.exit_code == 2
    assert "did you mean 'check'?" in result.output


def test_missing_tests_are_named(tiny, grader):
    (tiny / "exercises/addition/test_addition.py").unlink()
    result = grader("check", "--course", tiny)
    assert result.exit_code == 1
    assert "Its tests are missing" in result.output
    assert "✓ doubling" in result.output


def test_prints_are_shown_with_the_failing_criterion_and_cut(tiny, grader):
    loop = "for _ in range(360):\n        print('y' * 1_000_000)"
    edit(tiny, "addition", f"def add(a, b):\n    print('I was here')\n    {loop}\n    return 0\n")
    result = grader("check", "addition", "--course", tiny)
    assert "I was here" in result.output
    assert "characters more" in result.output
    assert len(result.output) < 10_000


@pytest.mark.parametrize("command", [("grader", "check", "addition"), ("pytest", "exercises/addition", "-q")])
def test_endless_prints_fill_no_memory(tiny, command):
    """As many megabytes as the process may not have."""
    loop = "for _ in range(900):\n        print('y' * 1_000_000)"
    edit(tiny, "addition", f"def add(a, b):\n    {loop}\n    return 0\n")
    limited = f"import resource; resource.setrlimit(resource.RLIMIT_DATA, ({600 << 20},) * 2); "
    start = f"import runpy, sys; sys.argv = {list(command)!r}; runpy.run_module({command[0]!r}, run_name='__main__')"
    result = subprocess.run(
        [sys.executable, "-c", limited + start], cwd=tiny, capture_output=True, text=True, check=False
    )
    assert "add(1, 1) must be 2, found 0." in result.stdout
    assert len(result.stdout) < 20_000


def test_what_is_written_past_python_is_not_kept_either(tiny, grader):
    edit(tiny, "addition", "import os\ndef add(a, b):\n    os.write(1, b'y' * 30_000_000)\n    return 0\n")
    assert len(grader("check", "addition", "--course", tiny).output) < 10_000


def test_what_is_wrong_comes_before_what_is_missing(tiny, grader):
    edit(tiny, "addition", "def add(a, b):\n    if b:\n        raise NotImplementedError\n    return a + 1\n")
    result = grader("check", "addition", "--course", tiny)
    assert "add(5, 0) must be 5, found 6." in result.output
    assert "One and one is two." not in result.output
    assert "One and one is two." in grader("check", "-v", "addition", "--course", tiny).output


@pytest.mark.attack
def test_an_endless_loop_is_named_once_and_the_rest_skipped(tiny, grader):
    edit(tiny, "addition", "def add(a, b):\n    while True:\n        a += 1\n")
    result = grader("check", "-v", "addition", "--course", tiny)
    assert "It was in addition.py:" in result.output
    assert "Skipped: add took too long in an earlier test" in " ".join(result.output.split())
    assert "Hint" not in result.output


def test_green_exercises_are_not_run_again_unless_asked_or_changed(tiny, grader):
    grader("check", "--course", tiny)
    assert grader("check", "--course", tiny).output.count("unchanged since") == 2
    assert "unchanged" not in grader("check", "--again", "--course", tiny).output
    edit(tiny, "addition", "def add(a, b):\n    return b + a\n")
    assert grader("check", "--course", tiny).output.count("unchanged since") == 1


def test_files_and_folders_can_be_named(tiny, grader, tmp_path):
    for word in ("exercises/addition", "exercises/addition/addition.py", "exercises/addition/test_addition.py"):
        output = grader("check", tiny / word, "--course", tiny).output
        assert "addition" in output
        assert "doubling  " not in output
    assert "doubling" not in grader("check", "--course", tiny / "exercises/addition").output.partition("next")[0]
    other = tmp_path / "addition.py"
    other.write_text("def add(a, b):\n    return 3\n")
    assert "found 3" in grader("check", other, "--course", tiny).output


def test_a_terminal_without_unicode_gets_plain_signs(tiny):
    edit(tiny, "addition", "def add(a, b):\n    return 0\n")
    command = [sys.executable, "-m", "grader", "check", "--course", str(tiny)]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    result = subprocess.run(command, capture_output=True, env=environment, check=False)
    assert b"x Small sums" in result.stdout
    assert b"Traceback" not in result.stderr


def test_a_debugger_begins_in_the_students_frame(tiny):
    edit(tiny, "addition", "def add(a, b):\n    mine = [7]\n    return int('x' * mine[0])\n")
    command = [sys.executable, "-m", "pytest", "exercises/addition", "--pdb", "-x"]
    result = subprocess.run(command, input="p mine\nq\n", cwd=tiny, capture_output=True, text=True, check=False)
    assert "addition.py(3)add()" in result.stdout
    assert "[7]" in result.stdout


def test_run_finds_the_other_exercises(tiny, grader):
    (tiny / "exercises/doubling/try_it.py").write_text("from addition import add\nassert add(1, 1) == 2\n")
    command = [sys.executable, "-m", "grader", "run", "exercises/doubling/try_it.py"]
    assert subprocess.run(command, cwd=tiny, check=False).returncode == 0


@pytest.mark.parametrize(
    ("package", "command"),
    [
        ("torch", ("grader", "check")),
        ("torch", ("grader", "watch")),
        ("torch", ("pytest", "exercises/addition")),
        ("rich", ("grader", "status")),
        ("msgspec", ("grader", "check")),
    ],
)
def test_a_package_that_is_not_installed_is_named_with_the_command_that_helps(tiny, tmp_path, package, command):
    suite = tiny / "exercises/addition/test_addition.py"
    suite.write_text(f"import torch\n{suite.read_text()}")
    (tmp_path / "sitecustomize.py").write_text(
        "from importlib.machinery import PathFinder\n"
        "find = PathFinder.find_spec\n"
        f"PathFinder.find_spec = classmethod(lambda _, name, *a: None if name == {package!r} else find(name, *a))\n"
    )
    path = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    result = subprocess.run(
        [sys.executable, "-m", *command], cwd=tiny, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": path}, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    said = f"{package} is not installed here. Run: python -m pip install -c constraints.txt -e ."
    assert said in result.stdout + result.stderr
    if command[0] == "grader":
        assert result.stderr.splitlines() == [f"grader: {said}"]


def test_a_debugger_in_the_code_can_be_left(tiny):
    edit(tiny, "addition", "def add(a, b):\n    breakpoint()\n    return a + b\n")
    command = [sys.executable, "-m", "pytest", "exercises"]
    result = subprocess.run(command, input="p b\nq\n", cwd=tiny, capture_output=True, text=True, check=False)
    assert "Quitting debugger" in result.stdout
    assert "failed" not in result.stdout
