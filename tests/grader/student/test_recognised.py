"""What students are told of known mistakes: `grader diagnoses` writes it, `check` says it, `validate` proves it."""

import json

import pytest

from grader.authoring.scan import scan
from grader.course import load_course
from tests.grader.conftest import SECRET, write

MANIFEST = """
format = 1
title = "Tiny"

[[exercise]]
name = "means"
title = "Sums and means"
files = ["means.py"]
hidden_criteria = 1
"""

SUITE = '''
from grader.judge import assert_close, criterion


@criterion("Sums", points=1, kind="value", hint="Add all.")
def test_sums(student, rng):
    """The sum of all numbers."""
    for numbers in ([1.5, 2.25], [rng.random() for _ in range(4)]):
        assert_close(student.total(numbers), sum(numbers), "total")


@criterion("Means", points=1, kind="value", hint="Divide.")
def test_means(student, rng):
    """The mean of all numbers."""
    for numbers in ([1.5, 2.25], [rng.random() for _ in range(4)]):
        assert_close(student.mean(numbers), sum(numbers) / len(numbers), "mean")


@criterion("The largest", points=1, kind="value", hint="Think.")
def test_largest(student):
    """The largest number."""
    assert_close(student.largest([1.5, 2.25]), 2.25, "largest")
'''

HIDDEN = '''
from grader.judge import assert_close, criterion


@criterion("Negative ones", points=1, kind="value", hint="Think of signs.")
def test_negative(student, rng):
    """The sum of negative numbers."""
    numbers = [-rng.random() for _ in range(4)]
    assert_close(student.total(numbers), sum(numbers), "total")
'''

SOLUTION = '''
def total(numbers):
    """The sum."""
    ### BEGIN SOLUTION
    the_sum_of_all_numbers = sum(numbers)
    return the_sum_of_all_numbers
    ### END SOLUTION


def mean(numbers):
    """The mean."""
    ### BEGIN SOLUTION
    return sum(numbers) / len(numbers)
    ### END SOLUTION


def largest(numbers):
    """The largest."""
    ### BEGIN SOLUTION
    return max(numbers)
    ### END SOLUTION
'''

RIGHT = {"total": "sum(numbers)", "mean": "sum(numbers) / len(numbers)", "largest": "max(numbers)"}
MISTAKES = {
    "first-left-out": (["sums", "negative"], "= sum(numbers)", "= sum(numbers[1:])"),
    "one-too-many": (["means"], "/ len(numbers)", "/ (len(numbers) + 1)"),
    "smallest": (["largest"], "max(numbers)", "min(numbers)"),
    "first": (["largest"], "max(numbers)", "numbers[0]"),
    "signs-lost": (["negative"], "= sum(numbers)", "= sum(map(abs, numbers))"),
}


@pytest.fixture
def means(tmp_path, grader):
    """A course with a bank; whatever students get of it is written."""
    bank = "".join(
        f"[[misconception]]\nid = '{id_}'\nexplanation = 'Your answers say {id_}.'\nhint = 'Not {id_}.'\n"
        f"severity = 20\ncaught_by = {caught_by}\nfind = '{find}'\nreplace = '{replace}'\n"
        for id_, (caught_by, find, replace) in MISTAKES.items()
    )
    root = tmp_path / "course"
    write(root / "course.toml", MANIFEST)
    write(root / "pyproject.toml", "")
    write(root / "solutions/grading.toml", SECRET)
    write(root / "solutions/means.py", SOLUTION)
    (root / "solutions/misconceptions").mkdir()
    (root / "solutions/misconceptions/means.toml").write_text("format = 1\n" + bank)
    write(root / "exercises/means/test_means.py", SUITE)
    write(root / "exercises/means/handout.md", "# total, mean, largest")
    write(root / "tests/hidden/test_means.py", HIDDEN)
    assert grader("stubs", "--course", root).exit_code == 0
    found = grader("diagnoses", "--course", root)
    assert (found.exit_code, found.stdout) == (0, "exercises/means/known_mistakes.json: written\n")
    return root


def hand_in(root, **functions):
    bodies = RIGHT | functions
    text = "\n\n".join(f"def {name}(numbers):\n    return {body}" for name, body in bodies.items())
    (root / "exercises/means/means.py").write_text(text + "\n")


def said(grader, root, **functions):
    hand_in(root, **functions)
    output = grader("check", "means", "-v", "--course", root).output
    return [line.split("Probably: ")[1].strip() for line in output.splitlines() if "Probably: " in line]


def test_check_names_a_known_mistake_and_gives_its_hint(means, grader):
    hand_in(means, total="sum(numbers) - numbers[0]")
    output = grader("check", "means", "--course", means).output
    assert "Probably: Your answers say first-left-out." in output
    assert "Hint: Not first-left-out." in output and "Hint: Add all." not in output


def test_two_mistakes_are_two_and_what_nothing_tells_apart_is_either(means, grader):
    two = said(grader, means, total="sum(numbers) - numbers[0]", mean="sum(numbers) / len([0, *numbers])")
    assert two == ["Your answers say first-left-out.", "Your answers say one-too-many."]
    either = said(grader, means, largest="sorted(numbers)[0]")
    assert either == ["Either: Your answers say smallest. Or: Your answers say first."]


@pytest.mark.parametrize(
    "functions",
    [
        {},
        {"total": "0"},
        {"total": "sum(numbers) + 1"},
        {"mean": "max(numbers)"},
        {"total": "None"},
        {"total": "1 / 0"},
    ],
    ids=str,
)
def test_what_is_right_or_not_known_is_not_explained(means, grader, functions):
    assert said(grader, means, **functions) == []


def test_the_file_has_wrong_answers_alone_and_students_may_see_it(means):
    path = means / "exercises/means/known_mistakes.json"
    text = path.read_text()
    found = {mistake["id"]: mistake for mistake in json.loads(text)["mistakes"]}
    assert found.keys() == MISTAKES.keys() - {"signs-lost"}, "what only hidden criteria see is not told"
    assert not any(word in text for word in ("negative", "numbers[1:]", "3.75", "replace", "find"))
    assert {id_: set(mistake["criteria"]) for id_, mistake in found.items()} == {
        "first-left-out": {"sums"}, "one-too-many": {"means"}, "smallest": {"largest"}, "first": {"largest"},
    }  # fmt: skip
    course = load_course(means / "course.toml")
    assert path in course.public_files()
    assert scan(course, {"exercises/means/known_mistakes.json": path.read_bytes()}) == ()


def test_a_changed_bank_or_suite_makes_it_out_of_date(means, grader):
    assert grader("diagnoses", "--check", "--course", means).exit_code == 0
    suite = means / "exercises/means/test_means.py"
    suite.write_text(suite.read_text().replace("2.25], [rng", "2.5], [rng"))
    found = grader("diagnoses", "--check", "--course", means)
    assert (found.exit_code, found.stdout) == (1, "exercises/means/known_mistakes.json: out of date\n")
    validated = grader("validate", "--seeds", "0", "--course", means).output
    assert "known_mistakes.json is out of date: run `grader diagnoses" in " ".join(validated.split())


def test_validate_tries_what_students_are_told_and_says_what_mistakes_cost(means, grader):
    output = grader("validate", "--all", "--seeds", "0", "--course", means).output
    words = " ".join(output.split())
    assert "✓ Students are told of their mistakes: 4 of 4 are told" in words
    assert "A mistake costs at most 40 %: median 25 %, worst 50 %, 1 cost more" in words
    assert "first-left-out costs" not in words, "of four criteria each is worth a quarter"
    row = next(line for line in output.splitlines() if line.split()[:1] == ["first-left-out"])
    assert row.split()[-2:] == ["50", "80"], "by the points, and where a mistake costs once"


def test_a_file_that_takes_a_mistake_for_another_is_found_out(means, grader):
    path = means / "exercises/means/known_mistakes.json"
    path.write_text(path.read_text().replace('"id":"one-too-many"', '"id":"smallest-of-all"'))
    words = " ".join(grader("validate", "--all", "--seeds", "0", "--course", means).output.split())
    assert "one-too-many is taken for smallest-of-all." in words
