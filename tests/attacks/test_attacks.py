"""Every hostile submission gets the verdict that it must get, learns nothing, and harms nobody.

All of them are graded once per mode; the tests look at what came of it. ``hostile/`` has a module per attack, whose
first lines say what must happen; ``harness.py`` builds those that need more than a module.
"""

import functools
import os
import re
import shutil
import tempfile
from pathlib import Path

import pytest

from .harness import CRITERIA, HIDDEN, SEED, USER, Run, all_attacks, grade, numbers, wait_for

pytestmark = [pytest.mark.attack, pytest.mark.all_cores]

OTHER_SEED = 20_261_116
OWLS = ("owl-63d05a8f", "owl-9b1f7c2e")  # of the hidden suite and of the solution
MODES = ("bubblewrap", "landlock", "as_user")
ALLOWED_GROWTH = 100 << 10  # kB by which a judge may grow from its first task to its last
ALLOWED_CHILD = 900 << 10  # kB for a judge's child, torch included

# What merely runs out of time does so in the first mode only.
PAIRS = [(mode, attack.name) for mode in MODES for attack in all_attacks(SEED) if mode == MODES[0] or not attack.slow]


@functools.cache
def graded(mode: str) -> Run:
    """The submissions, graded in this mode: once, however many tests look at it."""
    if mode != "landlock" and not shutil.which("bwrap"):
        pytest.skip("bubblewrap is not installed")
    if mode == "as_user" and os.getuid() != 0:
        pytest.skip("only root can become another user")
    with tempfile.TemporaryDirectory(prefix="grader-attacks-") as folder:
        Path(folder).chmod(0o755)  # another user must get in
        return grade(
            Path(folder),
            "landlock" if mode == "landlock" else "bubblewrap",
            seed=SEED if mode == MODES[0] else OTHER_SEED,
            user=USER if mode == "as_user" else None,
            quick=mode != MODES[0],
        )


@pytest.fixture(params=MODES)
def run(request: pytest.FixtureRequest) -> Run:
    return graded(request.param)


@pytest.mark.parametrize(("mode", "name"), PAIRS)
def test_the_verdict_is_as_it_must_be(mode: str, name: str):
    run = graded(mode)
    expected = next(attack.expected for attack in run.attacks if attack.name == name)
    assert not run.exercise(name).get("fault")
    assert tuple(run.criteria(name)) == CRITERIA
    wrong = [
        f"{criterion}: {result['verdict']}, not {' or '.join(sorted(expected[criterion]))}. {result['message']}"
        for criterion, result in run.criteria(name).items()
        if result["verdict"] not in expected[criterion]
    ]
    assert not wrong


def test_nothing_hidden_is_in_the_results(run: Run):
    secrets = [*OWLS, *(str(number) for criterion in HIDDEN for number in numbers(criterion, 4, run.seed))]
    secrets += [f"{3 * numbers('scale', 1, run.seed)[0]:.3g}", f"{3 * numbers('scale', 1, run.seed)[0]:.6g}"]
    leaks = [
        (name, result["id"], secret)
        for name in run.students
        for result in run.criteria(name).values()
        for secret in secrets
        if secret in f"{result['message']} {result['line']} {result['diagnosis']}"
    ]
    leaks += [
        (name, secret)
        for name in run.students
        for secret in secrets
        if secret in f"{run.exercise(name)['problem']} {run.exercise(name)['notes']}"
    ]
    assert not leaks


def test_a_worker_that_ran_student_code_cannot_choose_a_note(run: Run):
    """It may say that something is absent; which package, and what else is in the file, a fresh one reads."""
    assert run.exercise("lie_about_the_file")["notes"] == []
    assert run.exercise("lie_about_the_file")["problem"] == ""
    assert run.exercise("lie_about_its_import")["problem"] == "does not import (SyntaxError)"


def test_no_message_quotes_what_the_code_said_or_returned(run: Run):
    """Not even for public criteria: whatever student code met while it was graded could be in there."""
    loud = [name for name in run.students if "loud" in name]
    assert len(loud) == 1
    for name in loud:
        for result in run.criteria(name).values():
            assert "parrot-41c7" not in f"{result['message']} {result['line']}"


def test_a_function_is_named_by_its_line_alone(run: Run):
    places = {r["line"] for r in run.criteria("leak_in_known_names").values() if r["verdict"] == "error"}
    assert len(places) == 1
    assert not re.search(r" in n\d", places.pop())


def test_messages_are_short_and_without_control_characters(run: Run):
    for name in run.students:
        for result in run.criteria(name).values():
            shown = result["message"] + result["line"] + run.exercise(name)["problem"]
            assert re.sub(r"\n", "", shown).isprintable(), (name, shown)
            assert len(shown) < 8000, (name, len(shown))


def test_honest_students_get_full_marks(run: Run):
    honest = {name: student["score"] for name, student in run.students.items() if name.startswith(("honest", "victim"))}
    assert len(honest) > 8
    assert set(honest.values()) == {100.0}, honest


def test_nothing_is_a_fault_of_the_grader(run: Run):
    faults = [name for name in run.students if run.exercise(name)["verdict"] == "grader_fault"]
    assert not faults
    assert run.status == 0, run.output[-2000:]


def test_no_process_is_left(run: Run):
    assert len(run.watch.seen) > 10
    assert wait_for(lambda: not run.watch.survivors()), run.watch.survivors()


def test_no_worker_outlives_its_submission(run: Run):
    assert run.watch.crowd == 1  # a zygote never has two


def test_files_are_as_they_were(run: Run):
    assert not run.changed
    assert not run.left
    for place in ("/tmp", "/var/tmp", "/dev/shm", "/run", "/root", "/home", "/"):  # where attacks write
        assert not os.path.lexists(f"{place}/grader-attack-mark")


def test_judges_do_not_grow(run: Run):
    watch = run.watch
    assert len(watch.last) == 2
    assert all(watch.last[pid] - watch.first[pid] < ALLOWED_GROWTH for pid in watch.last), (watch.first, watch.last)
    assert 0 < watch.children < ALLOWED_CHILD
