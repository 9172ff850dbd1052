"""``grader check`` as a student uses it."""

import json

import pytest


def edit(tiny, exercise, code):
    (tiny / f"exercises/{exercise}/{exercise}.py").write_text(code)


def test_all_passed(tiny, grader):
    result = grader("check", "--course", tiny)
    assert result.exit_code == 0
    assert "✓ Small sums" in result.output
    assert "2 of 2 public criteria, 3 of 3 points so far." in result.output
    assert "1 hidden criteria are graded by your teacher." in result.output


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
        ("import os\nos._exit(0)\n", "does not import (ended its process)"),
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
    assert "✓ Twice" in result.output
    assert "Traceback" not in result.output


@pytest.mark.attack
@pytest.mark.parametrize(
    "loop",
    [
        "while True: pass",
        "try:\n        while True: pass\n    except BaseException:\n        while True: pass",
    ],
)
def test_an_endless_loop_is_stopped_even_if_it_swallows_everything(tiny, grader, loop):
    edit(tiny, "doubling", f"def double(a):\n    {loop}\n")
    result = grader("check", "--course", tiny)
    assert result.exit_code == 1
    assert "✗ Twice (timeout)" in result.output
    assert "✓ Small sums" in result.output


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
    assert "✓ Twice" in result.output
