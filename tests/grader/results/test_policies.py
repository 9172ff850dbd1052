"""From scores to grades by the policy of the course."""

import csv
import datetime
import json
import zipfile

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.course import load_course
from grader.course.manifest import Exercise
from grader.course.policy import Policy
from grader.errors import ManifestError
from grader.results.policies import days_late, penalty, with_policy
from grader.results.records import Kind, Verdict
from grader.results.schema import GradedCriterion, GradedExercise, GradedMistake, GradedStudent, Results
from tests.grader.conftest import write

DUE = datetime.datetime(2026, 11, 18, 23, 59, tzinfo=datetime.UTC)


def exercise(name, score, weight=1.0, optional=False):
    verdict = Verdict.MISSING if score is None else Verdict.FAILED
    return GradedExercise(
        name=name, score=score or 0.0, verdict=verdict, criteria=(), weight=weight, optional=optional, origin="x.py"
    )


def final(policy, *exercises, at="2026-11-18T12:00:00+00:00", extensions=None, declared=()):
    student = GradedStudent(id="anna", score=50.0, submitted_at=at, exercises=exercises)
    results = Results(format=1, course="Tiny", students=(student,))
    return with_policy(results, policy, declared, extensions).students[0]


def test_without_a_policy_nothing_changes():
    student = final(Policy(), exercise("a", 80.0))
    assert (student.final, student.policy) == (None, ())


@pytest.mark.parametrize(
    ("at", "days", "expected"),
    [
        ("2026-11-18T23:59:00+00:00", 0, 90.0),
        ("2026-11-19T00:08:59+00:00", 0, 90.0),
        ("2026-11-19T00:09:01+00:00", 1, 80.0),
        ("2026-11-19T23:59:00+00:00", 1, 80.0),
        ("2026-11-20T00:00:00+01:00", 1, 80.0),
        ("2026-11-20T00:00:00+00:00", 2, 70.0),
        ("2026-12-24T00:00:00+00:00", 36, 65.0),
        (None, 0, 90.0),
        ("long ago", 0, 90.0),
    ],
)
def test_days_late_grace_penalty_and_its_limit(at, days, expected):
    policy = Policy(due=DUE, grace_minutes=10, penalty_per_day=10, max_penalty=25)
    student = final(policy, exercise("a", 90.0), at=at)
    assert (student.exercises[0].days_late, student.final) == (days, expected)


def test_steps_instead_of_days():
    policy = Policy(penalty_steps=((0, 10), (2, 50), (7, 100)))
    assert [penalty(days, policy) for days in (0, 1, 2, 3, 7, 8)] == [0, 10, 10, 50, 50, 100]


def test_an_exercise_may_have_a_date_of_its_own_and_a_student_an_extension():
    own = Exercise(name="a", title="A", files=("a.py",), hidden_criteria=0, due=DUE - datetime.timedelta(days=5))
    policy = Policy(due=DUE, penalty_per_day=10)
    assert final(policy, exercise("a", 90.0), declared=(own,)).final == 40.0
    assert final(policy, exercise("a", 90.0), declared=(own,), extensions={("anna", ""): DUE}).final == 90.0
    assert final(policy, exercise("a", 90.0), declared=(own,), extensions={("ben", "a"): DUE}).final == 40.0
    more = {("anna", "a"): DUE - datetime.timedelta(days=2), ("anna", ""): DUE}
    assert final(policy, exercise("a", 90.0), declared=(own,), extensions=more).final == 70.0


def test_the_lowest_is_dropped_but_never_the_last():
    policy = Policy(drop_lowest=2)
    student = final(policy, exercise("a", 90.0), exercise("b", 10.0), exercise("c", None), exercise("d", 70.0))
    assert (student.final, student.policy) == (80.0, ("dropped: c, b",))
    assert final(policy, exercise("a", 40.0)).final == 40.0


def test_optional_exercises_may_be_extra_credit():
    policy = Policy(extra_credit=5, max_total=102)
    found = (exercise("a", 80.0), exercise("b", 60.0, optional=True), exercise("c", None, optional=True))
    assert final(policy, *found).final == 83.0
    assert final(policy, exercise("a", 100.0), exercise("b", 100.0, optional=True)).final == 102.0


def test_who_needs_review_has_no_grade():
    student = GradedStudent(id="anna", needs_review=True, exercises=(exercise("a", 90.0),))
    results = Results(format=1, course="Tiny", students=(student,))
    assert with_policy(results, Policy(drop_lowest=1), ()).students[0].final is None


@given(st.integers(0, 100_000), st.floats(0, 100), st.floats(0, 100))
def test_a_penalty_is_within_its_limits_and_grows(minutes, per_day, most):
    policy = Policy(due=DUE, penalty_per_day=per_day, max_penalty=most)
    late = days_late(DUE + datetime.timedelta(minutes=minutes), DUE, 0)
    later = days_late(DUE + datetime.timedelta(minutes=minutes + 1), DUE, 0)
    assert 0 <= penalty(late, policy) <= penalty(later, policy) <= most


def test_a_changed_date_needs_no_regrade(tiny, grader, tmp_path):
    with zipfile.ZipFile(tmp_path / "pile.zip", "w") as archive:
        for student in ("anna", "ben"):
            said = {"format": 1, "student": student, "submitted_at": "2026-11-20T12:00:00+00:00"}
            archive.writestr(f"{student}/hand_in.json", json.dumps(said))
            archive.writestr(f"{student}/addition.py", "def add(a, b):\n    return a + b\n")
    write(tiny / "more.csv", "student;exercise;due\nben;;2026-11-21T00:00+00:00\n")
    manifest = tiny / "course.toml"
    plain = manifest.read_text()

    def totals(policy):
        manifest.write_text(plain + policy)
        result = grader(
            "grade", tmp_path / "pile.zip", "--out", tmp_path / "out", "--exercise", "addition", "--course", tiny
        )
        assert result.exit_code == 0, result.output
        rows = csv.DictReader((tmp_path / "out/grades.csv").open())
        return {row["student"]: (row["total"], row.get("final")) for row in rows}

    assert totals("") == {"anna": ("100.0", None), "ben": ("100.0", None)}
    journal = (tmp_path / "out/journal.sqlite").stat().st_size
    late = '\n[policy]\ndue = 2026-11-18T23:59:00Z\npenalty_per_day = 10\nextensions = "more.csv"\n'
    assert totals(late) == {"anna": ("100.0", "80.0"), "ben": ("100.0", "100.0")}
    assert totals(late.replace("11-18", "11-19")) == {"anna": ("100.0", "90.0"), "ben": ("100.0", "100.0")}
    assert (tmp_path / "out/journal.sqlite").stat().st_size == journal


def test_a_mistake_in_the_policy_is_named(tiny):
    manifest = tiny / "course.toml"
    manifest.write_text(manifest.read_text() + "\n[policy]\npenalty_a_day = 10\n")
    with pytest.raises(
        ManifestError, match=r"policy\.penalty_a_day: is not a known key; did you mean 'penalty_per_day'"
    ):
        load_course(manifest)


# A mistake costs once


def failed(score, *mistakes, explained=True, points=None):
    """An exercise of ten criteria of a point each, and what was found."""
    passed = round(score / 10)
    criteria = [
        GradedCriterion(id=f"c{n}", title="T", kind=Kind.VALUE, points=1, hidden=False, verdict=verdict)
        for n, verdict in enumerate([Verdict.PASSED] * passed + [Verdict.FAILED] * (10 - passed))
    ]
    return GradedExercise(
        name="a", score=score, verdict=Verdict.FAILED, criteria=tuple(criteria), origin="x.py", explained=explained,
        points_earned=passed if points is None else points, points_possible=10, mistakes=mistakes,
    )  # fmt: skip


def mistake(severity, likeness=False):
    return GradedMistake(misconceptions=("m",), criteria=("c9",), severity=severity, likeness=likeness)


ONCE = Policy(one_mistake_costs_once=True)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (failed(40.0, mistake(20)), 80.0),
        (failed(40.0, mistake(20), mistake(25)), 55.0),
        (failed(90.0, mistake(20)), 90.0),
        (failed(40.0, mistake(60), mistake(60)), 40.0),
        (failed(40.0, mistake(20), explained=False), 40.0),
        (failed(40.0, mistake(20), mistake(20, likeness=True)), 40.0),
        (failed(40.0), 40.0),
        (failed(10.0, mistake(20), points=2), 10.0),
    ],
    ids=["once", "two", "cheaper", "dear", "not all", "looks like", "none", "points by hand"],
)
def test_known_mistakes_that_explain_everything_cost_their_severities(found, expected):
    assert final(ONCE, found).final == expected
    assert final(Policy(max_total=99), found).final == found.score, "it is off unless asked for"


def test_a_raised_score_is_told_and_still_pays_for_being_late():
    policy = msgspec.structs.replace(ONCE, due=DUE, penalty_per_day=10)
    student = final(policy, failed(40.0, mistake(20)), at="2026-11-19T12:00:00+00:00")
    assert student.final == 70.0
    assert student.exercises[0].raised == 40.0
    assert any("a mistake costs once, so 80 instead of 40" in words for words in student.policy)


@given(st.lists(st.tuples(st.integers(1, 100), st.booleans()), max_size=3), st.integers(0, 10), st.booleans())
def test_no_score_falls_because_a_mistake_costs_once(severities, tenths, explained):
    found = failed(10.0 * tenths, *(mistake(*one) for one in severities), explained=explained)
    assert found.score <= final(ONCE, found).final <= 100
