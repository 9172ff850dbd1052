"""``grader validate``: a sound exercise is proven, and each kind of flaw is named."""

import json
import sqlite3
import textwrap

import msgspec
import pytest

from grader.course import find_course
from grader.course.misconceptions import Misconception, load_bank
from grader.results.records import Criterion, CriterionResult, ExerciseResult, Kind, Verdict
from grader.validation import claims, static_checks
from grader.validation.records import Cell, Mutation
from tests.grader.conftest import SECRET

MANIFEST = """
format = 1
title = "Tiny"

[[exercise]]
name = "addition"
title = "One and one"
files = ["addition.py"]
hidden_criteria = 2
budget = 20
"""

SOLUTION = '''
def add(a, b):
    """The sum of two numbers."""
    ### BEGIN SOLUTION
    if a is None:
        raise ValueError("no number")
    return a + b
    ### END SOLUTION
'''

STUB = '''
def add(a, b):
    """The sum of two numbers."""
    raise NotImplementedError("add is yours to write")
'''

PUBLIC = '''
from grader.judge import assert_equal, criterion


@criterion("Small sums", points=2, kind="value", hint="Use +.")
def test_small(student):
    """One and one is two."""
    assert_equal(student.add(1, 1), 2, "add(1, 1)")
    assert_equal(student.add(1, 2), 3, "add(1, 2)")
'''

HIDDEN = '''
from grader.judge import assert_equal, criterion, student_raises


@criterion("Any sum", points=1, kind="value", hint="Think again.")
def test_any_sum(student, rng):
    """Sums of numbers that nobody knows beforehand."""
    a, b = rng.randrange(3, 1000), rng.randrange(3, 1000)
    assert_equal(student.add(a, b), a + b, f"add({a}, {b})")


@criterion("Nothing is no number", points=1, kind="robustness", hint="Look at a first.")
def test_nothing(student):
    """Nothing cannot be added."""
    assert_equal(student.add(2, 2), 4, "add(2, 2)")
    assert_equal(student.add(0, 0), 0, "add(0, 0)")
    with student_raises("ValueError"):
        student.add(None, 1)
'''

VARIANT = """
def add(a, b):
    if None in (a, b):
        raise ValueError
    return b + a
"""

BANK = """
format = 1

[[misconception]]
id = "times"
explanation = "You multiply."
hint = "Is 1 + 1 = 1?"
caught_by = ["small"]
find = "a + b"
replace = "a * b"

[[misconception]]
id = "only-small"
explanation = "You know small sums only."
hint = "Are there others?"
caught_by = ["any_sum"]
find = "return a + b"
replace = "return a + b if a < 3 else 2"

[[misconception]]
id = "nothing-is-zero"
explanation = "You take nothing for 0."
hint = "Is it?"
caught_by = ["nothing"]
find = 'raise ValueError("no number")'
replace = "a = 0"
"""


@pytest.fixture
def sound(tmp_path):
    """A course of one exercise, about which everything can be proven."""
    files = {
        "course.toml": MANIFEST,
        "solutions/grading.toml": SECRET,
        "pyproject.toml": "",
        "solutions/addition.py": SOLUTION,
        "solutions/misconceptions/addition.toml": BANK,
        "exercises/addition/addition.py": STUB,
        "exercises/addition/handout.md": "Write `add`.",
        "exercises/addition/test_addition.py": PUBLIC,
        "tests/hidden/test_addition.py": HIDDEN,
        "tests/variants/addition/in_the_other_order.py": VARIANT,
    }
    for name, text in files.items():
        path = tmp_path / "course" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text).lstrip("\n"))
    return tmp_path / "course"


def judged(course):
    journal = course / ".grader/validate/journal.sqlite"
    return [name for (name,) in sqlite3.connect(journal).execute("SELECT student FROM graded ORDER BY id")]


def test_a_sound_exercise_is_proven_and_only_changes_are_judged_again(grader, sound, tmp_path, monkeypatch):
    monkeypatch.setattr("grader.validation.run.SAMPLE", 1)  # each costs a process
    page = tmp_path / "page.html"
    found = grader("validate", "--course", sound, "--seeds", 2, "--jobs", 2, "--mutate", "--html", page)
    assert found.exit_code == 0, found.output
    assert "  times           ●○·    25   25" in found.output
    assert "✗" not in found.output and "every proof holds" in found.output
    assert "Mutants are killed: 100.0%" in found.output
    assert all(len(line) <= 80 for line in found.output.splitlines() if not line.startswith("Written"))
    assert "only-small" in page.read_text()
    before = judged(sound)
    assert {"solution", "stub, seed 2", "variant in_the_other_order", "misconception times", "mutant 0"} <= set(before)

    variant = sound / "tests/variants/addition/wrong.py"
    variant.write_text("def add(a, b):\n    return a + b + 1\n")
    found = grader("validate", "--course", sound, "--seeds", 2, "--json")
    assert found.exit_code == 1
    (exercise,) = json.loads(found.stdout)["exercises"]
    broken = [one for one in exercise["proofs"] if not one["holds"]]
    assert [one["claim"] for one in broken] == ["Every right variant has full marks"]
    assert "wrong: small: failed" in broken[0]["problems"][0]
    new = sorted(judged(sound)[len(before) :])
    assert new == ["variant wrong", "variant wrong, seed 1", "variant wrong, seed 2"]


def test_garbage_that_gets_points_is_named(grader, sound):
    suite = sound / "tests/hidden/test_addition.py"
    value = 'assert_equal(student.add(2, 2), 4, "add(2, 2)")\n    assert_equal(student.add(0, 0), 0, "add(0, 0)")'
    assert value in suite.read_text()
    suite.write_text(suite.read_text().replace(value, "student.add(2, 2)"))
    garbage = sound / "tests/garbage/addition/always_a_thousand.py"
    garbage.parent.mkdir(parents=True)
    garbage.write_text("def add(a, b):\n    return 1000\n")
    found = grader("validate", "--course", sound, "--seeds", 0, "--json")
    (exercise,) = json.loads(found.stdout)["exercises"]
    broken = next(one for one in exercise["proofs"] if one["claim"].startswith("What computes nothing right"))
    kinds = ("zeros", "ones", "minus_infinity", "noise", "first_answer", "echo")
    assert [problem.split(" gets")[0] for problem in broken["problems"]] == [*kinds]
    assert broken["problems"][0] == "zeros gets 25.0 %, for nothing."
    assert broken["finding"] == "7 kinds, at most 25.0 %"


def result(**verdicts):
    """An exercise's result; ids that begin with h are hidden."""
    return ExerciseResult(name="e", criteria=tuple(_result(name, word) for name, word in verdicts.items()))


def _result(name, word):
    criterion = Criterion(
        id=name, title=name, kind=Kind.VALUE, points=1, hint="h", sentence="s", timeout=1, hidden=name[0] == "h"
    )
    message = "add is not implemented yet: write it in e.py." if word == "missing" else ""
    return CriterionResult(criterion=criterion, verdict=Verdict(word), message=message)


def mistake(name, *caught_by):
    return Misconception(id=name, explanation="e", hint="h", caught_by=caught_by, find="a", replace="b")


RIGHT = result(a="passed", h1="passed", h2="passed")
MISSING = result(a="missing", h1="missing", h2="missing")
EVIDENCE = claims.Evidence(
    solution=RIGHT,
    stub=MISSING,
    variants={"loop": RIGHT},
    mistakes=(
        (mistake("one", "h1"), result(a="passed", h1="error", h2="passed")),
        (mistake("two", "h2"), result(a="failed", h1="passed", h2="timeout")),
    ),
    garbage={"zeros": result(**{f"h{n}": "passed" if n == 0 else "failed" for n in range(20)})},
    justified={"h2": "It is a contract of its own."},
    other_seeds={
        "solution, seed 8": RIGHT,
        "stub, seed 8": MISSING,
        "variant loop, seed 9": RIGHT,
        "misconception one, seed 9": result(a="passed", h1="failed"),
    },
    in_process={"solution": (RIGHT, RIGHT)},
)


def but(**changes):
    return msgspec.structs.replace(EVIDENCE, **changes)


KNOWN = ["a", "h1", "h2"]


def prove_mistakes(evidence):
    return claims.prove_mistakes(evidence, KNOWN)


def prove_need(evidence, alone=frozenset()):
    return claims.prove_need(evidence, KNOWN, alone)


def test_what_holds():
    for found in (
        claims.prove_solution(EVIDENCE.solution),
        claims.prove_stub(EVIDENCE),
        prove_mistakes(EVIDENCE),
        claims.prove_variants(EVIDENCE),
        claims.prove_garbage(EVIDENCE),
        prove_need(EVIDENCE),
        prove_need(but(justified={}), frozenset({"h2"})),
        claims.prove_steadiness(EVIDENCE, 1),
        claims.prove_agreement(EVIDENCE, confined=True),
    ):
        assert found.holds, found


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (claims.prove_solution(result(a="failed")), "a: failed"),
        (claims.prove_solution(ExerciseResult(name="e", criteria=(), fault="broken")), "broken"),
        (claims.prove_stub(but(stub=result(a="missing", h1="passed"))), "h1: passed"),
        (claims.prove_stub(but(stub=result(a="error"))), "a: error"),
        (prove_mistakes(but(mistakes=((mistake("m", "a"), RIGHT),))), "m gets full marks"),
        (
            prove_mistakes(but(mistakes=((mistake("m", "a"), result(a="passed", h1="failed")),))),
            "m fails h1, not a",
        ),
        (prove_mistakes(but(mistakes=((mistake("m", "a"), result(a="failed")),))), "no points at all"),
        (prove_mistakes(but(mistakes=((mistake("m", "x", "h1"), RIGHT),))), "names x, which is not a criterion"),
        (
            prove_mistakes(but(mistakes=((mistake("m", "a"), result(a="failed", h1="grader_fault")),))),
            "m: h1: grader_fault",
        ),
        (claims.prove_variants(but(variants={"loop": result(a="timeout")})), "loop: a: timeout"),
        (claims.prove_garbage(but(garbage={"echo": result(a="passed", h1="failed")})), "echo gets 50.0 %, for a."),
        (claims.prove_garbage(but(garbage={"echo": result(a="grader_fault")})), "echo: a: grader_fault"),
        (prove_need(but(justified={})), "h2 catches nothing"),
        (prove_need(but(justified={"h2": "Why not.", "h9": "Gone."})), "justified.h9: there is no such"),
        (prove_need(but(justified={"h2": " "})), "justified.h2: says nothing"),
        (
            claims.prove_steadiness(but(other_seeds={"stub, seed 8": result(a="missing", h1="error")}), 1),
            "stub, seed 8: h1: error and missing",
        ),
        (
            claims.prove_steadiness(but(other_seeds={"variant loop, seed 9": result(a="passed", h1="failed")}), 1),
            "variant loop, seed 9: h1: failed and passed",
        ),
        (
            claims.prove_steadiness(but(other_seeds={"misconception one, seed 9": RIGHT}), 1),
            "misconception one, seed 9: gets full marks",
        ),
        (
            claims.prove_agreement(but(in_process={"stub": (RIGHT, result(a="passed", h1="memory"))}), confined=True),
            "h1: passed and memory",
        ),
        (claims.prove_mutants(Mutation(made=12, equivalent=2, killed=9, survivors=()), []), "at least 95%"),
    ],
)
def test_what_does_not_hold_is_named(found, words):
    assert not found.holds
    assert any(words in problem for problem in found.problems), found.problems
    assert found.remedy


def test_the_rows_of_the_matrix():
    one, two = claims.rows(EVIDENCE)
    assert one.cells == (Cell.PASSES, Cell.EXPECTED, Cell.PASSES)
    assert two.cells == (Cell.FAILS, Cell.PASSES, Cell.EXPECTED)
    assert round(two.score or 0) == 33


@pytest.mark.parametrize(
    ("file", "old", "new", "words"),
    [
        ("course.toml", "hidden_criteria = 2", "hidden_criteria = 3", "hidden_criteria = 3, the suite has 2"),
        ("tests/hidden/test_addition.py", "def test_", "def check_", "1 of 1 criteria are public"),
        ("exercises/addition/handout.md", "add", "sum", "does not name add"),
        ("exercises/addition/addition.py", "yours", "mine", "run `grader stubs addition`"),
        ("solutions/misconceptions/addition.toml", "Is 1 + 1 = 1?", " ", "times needs an explanation and a hint"),
        (
            "tests/hidden/test_addition.py",
            HIDDEN[HIDDEN.index("    assert_equal(student.add(2, 2)") :],
            PUBLIC[PUBLIC.index("    assert_equal(student.add(1, 1)") :],
            "nothing does just what the public small does",
        ),
        ("exercises/addition/test_addition.py", "One and one", "See any_sum: one and one", "mentions the hidden"),
        ("exercises/addition/test_addition.py", "One and one", "See test_nothing: one", "mentions the hidden"),
    ],
)
def test_what_is_seen_by_reading(sound, file, old, new, words):
    path = sound / file
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    course = find_course(sound)
    exercise = course.exercise("addition")
    bank = load_bank(sound / "solutions/misconceptions/addition.toml")
    proofs = [
        static_checks.prove_points(course, exercise),
        static_checks.prove_prose(course, exercise, bank),
        static_checks.prove_secrecy(course, exercise),
    ]
    problems = [problem for one in proofs for problem in one.problems]
    assert any(words in problem for problem in problems), problems


def test_reading_finds_nothing_in_a_sound_exercise(sound):
    course = find_course(sound)
    exercise = course.exercise("addition")
    bank = load_bank(sound / "solutions/misconceptions/addition.toml")
    assert static_checks.prove_points(course, exercise).holds
    assert static_checks.prove_prose(course, exercise, bank).holds
    assert static_checks.prove_secrecy(course, exercise).holds
