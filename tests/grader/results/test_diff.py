"""What differs between two results: by hand on small classes, and properties on random ones."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.results.diff import Direction, Reason, diff_results
from grader.results.records import Verdict
from grader.results.schema import Made, as_json, read_results
from tests.grader.made_results import criterion, exercise, results, student


def only(diff):
    (change,) = diff.students
    return change


def test_the_same_results_do_not_differ():
    found = results(student("s01", exercise("ctc", criterion("a"), criterion("b", "failed"))), student("s02"))
    diff = diff_results(found, found)
    assert (diff.summary.same, diff.summary.moved, diff.students, diff.criteria) == (2, 0, (), ())


def test_a_verdict_that_changed_is_named_with_its_exercise_and_student():
    old = results(student("s01", exercise("ctc", criterion("a"), criterion("b", "failed"), digest="1")))
    new = results(student("s01", exercise("ctc", criterion("a"), criterion("b"), digest="1")))
    change = only(diff_results(old, new))
    assert (change.id, change.old_score, change.new_score, change.direction) == ("s01", 50.0, 100.0, Direction.UP)
    (moved,) = change.exercises
    (one,) = moved.criteria
    assert (moved.name, one.id, one.before.verdict, one.after.verdict) == ("ctc", "b", "failed", "passed")
    assert change.reasons == moved.reasons == (Reason.JUDGING,)


def test_criteria_that_are_new_gone_or_worth_other_points_are_told_apart():
    old = results(student("s01", exercise("ctc", criterion("gone"), criterion("kept", "failed"), criterion("same"))))
    new = results(
        student("s01", exercise("ctc", criterion("kept", "failed", points=3), criterion("same"), criterion("new")))
    )
    diff = diff_results(old, new)
    changes = {one.id: one for one in only(diff).exercises[0].criteria}
    assert set(changes) == {"gone", "kept", "new"}
    assert changes["gone"].after is None and changes["new"].before is None
    assert (changes["kept"].before.points, changes["kept"].after.points) == (1, 3)
    assert only(diff).reasons == (Reason.CRITERIA,)
    assert {(c.id, c.points_before, c.points_after) for c in diff.criteria} == {
        ("gone", 1, None), ("new", None, 1), ("kept", 1, 3),
    }  # fmt: skip


def test_students_of_one_side_only_are_listed_and_do_not_move():
    diff = diff_results(results(student("s01"), student("s02")), results(student("s02"), student("s03")))
    assert ([p.id for p in diff.removed], [p.id for p in diff.added]) == (["s01"], ["s03"])
    assert (diff.summary.students, diff.summary.moved) == (1, 0)


SCORES = {"old": criterion("a", "failed"), "new": criterion("a")}


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ({"digest": "1"}, {"digest": "2"}, Reason.FILE),
        ({"digest": "1", "origin": "a.py"}, {"digest": "1", "origin": "b.py"}, Reason.JUDGING),
        ({"origin": "a.py"}, {"origin": "b.py"}, Reason.FILE),
        ({"origin": "a.py"}, {"origin": "a.py"}, Reason.UNKNOWN),
        ({}, {"origin": "a.py"}, Reason.UNKNOWN),  # the older file does not have the key
        ({}, {"origin": "a.py", "digest": "1"}, Reason.UNKNOWN),
        ({"digest": "1", "stand_ins": ("attention",)}, {"digest": "1"}, Reason.STAND_INS),
    ],
)
def test_the_reason_is_what_the_data_tell(before, after, reason):
    old = results(student("s01", exercise("ctc", SCORES["old"], **before)))
    new = results(student("s01", exercise("ctc", SCORES["new"], **after)))
    assert only(diff_results(old, new)).reasons == (reason,)


def test_who_handed_in_at_another_time_has_another_file_unless_its_hash_says_otherwise():
    def at(time, verdict, **more):
        return results(student("s01", exercise("ctc", criterion("a", verdict), **more), submitted_at=time))

    early, late = "2026-01-01T10:00", "2026-01-02T10:00"
    assert only(diff_results(at(early, "failed"), at(late, "passed"))).reasons == (Reason.FILE,)
    assert only(diff_results(at(None, "failed"), at(late, "passed"))).reasons == (Reason.UNKNOWN,)
    same = {"digest": "1"}
    assert only(diff_results(at(early, "failed", **same), at(late, "passed", **same))).reasons == (Reason.JUDGING,)


def test_who_handed_in_late_has_another_file():
    old = results(student("s01", exercise("ctc", criterion("a", "missing"))))
    new = results(student("s01", exercise("ctc", criterion("a"), origin="ctc.py", digest="1")))
    assert only(diff_results(old, new)).reasons == (Reason.FILE,)


def test_an_exercise_may_move_because_a_file_of_another_one_changed():
    old = results(
        student("s01", exercise("first", SCORES["old"], digest="1"), exercise("second", SCORES["old"], digest="5"))
    )
    new = results(
        student("s01", exercise("first", SCORES["new"], digest="2"), exercise("second", SCORES["new"], digest="5"))
    )
    first, second = only(diff_results(old, new)).exercises
    assert (first.reasons, second.reasons) == ((Reason.FILE,), (Reason.OTHER_FILE,))


def test_a_fault_that_is_gone_is_the_reason_and_no_other():
    old = results(student("s01", exercise("ctc", criterion("a", "failed"), criterion("b", "grader_fault"), digest="1")))
    new = results(student("s01", exercise("ctc", criterion("a", "failed"), criterion("b"), digest="1")))
    assert only(diff_results(old, new)).reasons == (Reason.FAULT,)


def test_training_that_was_still_to_come_is_the_reason_and_no_other():
    old = results(student("s01", exercise("rnn", criterion("a"), pending=True, digest="1")), provisional=True)
    new = results(student("s01", exercise("rnn", criterion("a"), criterion("learns", "failed"), digest="1")))
    diff = diff_results(old, new)
    assert only(diff).reasons == (Reason.TRAINING,)
    assert (diff.old_provisional, diff.new_provisional) == (True, False)


def test_training_that_a_quick_run_left_out_is_the_reason_and_the_runs_are_said_to_differ():
    learns = criterion("learns", "failed")
    old = results(student("s01", exercise("rnn", criterion("a"), learns, digest="1")), made=Made(at="1", seed="x"))
    quick = Made(at="2", quick=True, seed="y")
    diff = diff_results(old, results(student("s01", exercise("rnn", criterion("a"), digest="1")), made=quick))
    assert only(diff).reasons == (Reason.TRAINING,)
    assert [(run.what, run.before, run.after) for run in diff.runs] == [("secret", "x", "y"), ("quick", "no", "yes")]


def test_an_answered_question_gives_a_score():
    old = results(
        student("s01", exercise("ctc", criterion("a", "missing"), question="Which?"), needs_review=True, score=None)
    )
    new = results(student("s01", exercise("ctc", criterion("a"), origin="x.py")))
    change = only(diff_results(old, new))
    assert change.direction is Direction.SCORED
    assert Reason.DECISION in change.reasons


def test_other_weights_move_a_total_without_any_exercise():
    def weighted(weight, score):
        ctc = exercise("ctc", criterion("a"), weight=weight)
        return results(student("s01", ctc, exercise("rnn", criterion("a", "failed")), score=score))

    change = only(diff_results(weighted(1.0, 50.0), weighted(3.0, 75.0)))
    assert (change.reasons, change.exercises) == ((Reason.COURSE,), ())


def test_exercises_of_one_side_only_are_named():
    both = exercise("ctc", criterion("a"))
    old, new = results(student("s01", both, exercise("rnn", criterion("a", "failed")))), results(student("s01", both))
    diff = diff_results(old, new)
    assert (diff.only_old, diff.only_new, only(diff).reasons) == (("rnn",), (), (Reason.COURSE,))


def test_files_with_the_required_keys_alone_are_compared():
    def bare(score, verdict):
        one = {"id": "a", "title": "A", "kind": "value", "points": 1, "hidden": False, "verdict": verdict}
        ctc = {"name": "ctc", "score": score, "verdict": verdict, "criteria": [one]}
        document = {"format": 1, "course": "Old", "students": [{"id": "s01", "score": score, "exercises": [ctc]}]}
        return read_results(msgspec.json.encode(document), "here")

    change = only(diff_results(bare(100.0, "passed"), bare(0.0, "failed")))
    assert (change.direction, change.reasons) == (Direction.DOWN, (Reason.UNKNOWN,))


judged = st.tuples(st.sampled_from(list(Verdict)), st.integers(1, 3))
tables = st.dictionaries(
    st.sampled_from(["s01", "s02", "s03", "s04"]),
    st.dictionaries(
        st.sampled_from(["ctc", "rnn"]),
        st.dictionaries(st.sampled_from("abc"), judged, min_size=1),
    ),
)


def made(table):
    return results(
        *(
            student(
                id_,
                *(
                    exercise(name, *(criterion(c, verdict, points=points) for c, (verdict, points) in found.items()))
                    for name, found in exercises.items()
                ),
            )
            for id_, exercises in table.items()
        )
    )


@given(tables, tables)
def test_nobody_is_lost_and_the_other_way_round_is_the_mirror(one, other):
    old, new = made(one), made(other)
    there, back = diff_results(old, new), diff_results(new, old)
    summary = there.summary
    assert summary.students == len(one.keys() & other.keys())
    assert summary.students == summary.up + summary.down + summary.same + summary.scored + summary.unscored
    assert (summary.up, summary.down, summary.added) == (back.summary.down, back.summary.up, back.summary.removed)
    assert {s.id for s in there.moved} == {s.id for s in back.moved}
    scores = {s.id: s.score for s in old.students}
    assert {s.id for s in there.moved} == {s.id for s in new.students if s.id in scores and s.score != scores[s.id]}
    assert all(student.reasons for student in there.students)
    assert as_json(there)
