"""Whom and what a teacher should look at."""

from grader.results.records import Verdict
from grader.results.review import reviews, slowest, standing_out, verdict_counts
from tests.grader.made_results import criterion, exercise, results, student


def test_only_who_is_marked_or_could_not_be_judged_or_broke_the_rules_is_reviewed():
    found = reviews(
        results(
            student("right", exercise("ctc", criterion("a"))),
            student("wrong", exercise("ctc", criterion("a", "failed"), problem="does not import"), notes=("a note",)),
            student(
                "marked", exercise("ctc", criterion("a"), notes=("read as latin-1",)), needs_review=True, notes=("n",)
            ),
            student("fault", exercise("ctc", criterion("a", "grader_fault"), criterion("b"))),
            student("unrun", exercise("ctc", fault="no tests")),
            student("tampered", exercise("ctc", criterion("a", "tampered"), criterion("b", "tampered"))),
            student("unsaid", exercise("ctc", criterion("a")), needs_review=True),
        )
    )
    assert {review.student.id: review.reasons for review in found} == {
        "marked": ("n", "ctc: read as latin-1"),
        "fault": ("ctc: 1 criterion could not be judged, through a fault of ours",),
        "unrun": ("ctc: could not be graded, through a fault of ours: no tests",),
        "tampered": ("ctc: broke the rules of the judge in 2 criteria",),
        "unsaid": ("marked for review; the results do not say why",),
    }


def test_what_does_not_import_is_a_reason_for_who_is_marked():
    broken = exercise("ctc", criterion("a", "error"), problem="does not import (ctc.py:35: invalid syntax)")
    (review,) = reviews(results(student("s01", broken, needs_review=True)))
    assert review.reasons == ("ctc: does not import (ctc.py:35: invalid syntax)",)


def test_verdicts_that_say_more_than_wrong_stand_out_the_most_serious_first():
    found = standing_out(
        results(
            student(
                "s01", exercise("ctc", criterion("a", "timeout"), criterion("b", "timeout"), criterion("c", "failed"))
            ),
            student("s02", exercise("ctc", criterion("a", "crashed")), exercise("beam", criterion("a", "timeout"))),
            student("s03", exercise("ctc", fault="no tests")),
        )
    )
    assert list(found) == [Verdict.GRADER_FAULT, Verdict.CRASHED, Verdict.TIMEOUT]
    timeouts = [(entry.student.id, entry.exercise, entry.criteria) for entry in found[Verdict.TIMEOUT]]
    assert timeouts == [("s01", "ctc", 2), ("s02", "beam", 1)]


def test_the_slowest_come_first_and_what_was_quick_not_at_all():
    made = [student(f"s{n}", exercise("ctc", criterion("a"), seconds=float(n) / 2)) for n in range(30)]
    found = [entry.seconds for entry in slowest(results(*made))]
    assert found == sorted(found, reverse=True) and found[0] == 14.5 and len(found) == 10
    assert slowest(results(*made[:2])) == ()


def test_verdicts_are_counted_by_criterion_and_by_student():
    one = student("s01", exercise("ctc", criterion("a"), criterion("b", "failed"), criterion("c", "failed")))
    left_out = exercise("tests", criterion("a", "missing"), optional=True)
    two = student("s02", exercise("ctc", criterion("a"), criterion("b"), criterion("c")), left_out)
    assert verdict_counts(results(one, two)) == {Verdict.PASSED: (4, 2), Verdict.FAILED: (2, 1)}
