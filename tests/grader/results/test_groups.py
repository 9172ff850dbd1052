"""Who failed alike."""

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from grader.results.groups import error_groups, message_kind
from grader.results.records import Verdict
from grader.results.schema import GradedMistake
from tests.grader.made_results import criterion, exercise, large_class, results, student


def alike(*columns):
    """One exercise: a student for each list of criteria."""
    return error_groups(results(*(student(f"s{n}", exercise("ctc", *column)) for n, column in enumerate(columns))))


def test_the_same_diagnosis_is_alike_whatever_the_message():
    found = alike(
        [criterion("a", "failed", diagnosis="D.", message="one")],
        [criterion("a", "error", diagnosis="D.", message="two")],
        [criterion("a", "failed", diagnosis="E.", message="one")],
    )
    (group,) = found.groups
    assert (group.students, group.cause.diagnosis, group.criteria) == (("s0", "s1"), "D.", ("a",))
    assert [(one.exercise, one.failures, one.students) for one in found.alone] == [("ctc", 1, ("s2",))]


def test_who_made_two_mistakes_is_in_the_groups_of_both():
    column = [criterion("a", "failed"), criterion("b", "failed")]
    swapped = GradedMistake(misconceptions=("swap", "off"), criteria=("a", "b"), words="S.")
    slow = GradedMistake(misconceptions=("slow",), criteria=("b",), words="L.")
    made = [(swapped,), (swapped, slow), (slow,)]
    found = error_groups(
        results(
            *(
                student(f"s{n}", msgspec.structs.replace(exercise("ctc", *column), mistakes=mistakes))
                for n, mistakes in enumerate(made)
            )
        )
    )
    assert [(one.cause.diagnosis, one.misconceptions, one.students) for one in found.groups] == [
        ("S.", ("swap", "off"), ("s0", "s1")),
        ("L.", ("slow",), ("s1", "s2")),
    ]


def test_without_a_diagnosis_the_verdict_and_the_kind_of_message_count():
    found = alike(
        [criterion("a", "failed", message="Wrong shape (3, 4) in line 12.")],
        [criterion("a", "failed", message="Wrong shape (5,) in line 7.")],
        [criterion("a", "error", message="Wrong shape (5,) in line 7.")],
        [criterion("a", "failed", message="Wrong values.")],
    )
    assert [group.students for group in found.groups] == [("s0", "s1")]
    assert found.alone[0].students == ("s2", "s3")


def test_the_same_message_in_another_exercise_or_criterion_is_not_alike():
    one = student("s0", exercise("ctc", criterion("a", "failed"), criterion("b")), exercise("attention"))
    two = student("s1", exercise("ctc", criterion("a"), criterion("b", "failed")), exercise("attention"))
    three = student("s2", exercise("ctc"), exercise("attention", criterion("a", "failed")))
    assert error_groups(results(one, two, three)).groups == ()


def test_one_cause_of_the_same_students_is_one_group_however_many_criteria_it_costs():
    broken = [criterion(id_, "error", message="ctc.py is not valid Python (ctc.py:35).") for id_ in "abc"]
    (group,) = alike(broken, broken).groups
    assert group.criteria == ("a", "b", "c")
    assert group.titles == ("Title of a", "Title of b", "Title of c")


def test_a_smaller_group_of_the_same_diagnosis_belongs_to_the_larger():
    both = [criterion("a", "failed", diagnosis="D."), criterion("b", "failed", diagnosis="D.")]
    (group,) = alike(both, both, [criterion("a", "failed", diagnosis="D."), criterion("b")]).groups
    assert (group.students, group.criteria, group.partly) == (("s0", "s1", "s2"), ("a",), ("Title of b",))


def test_without_a_diagnosis_a_smaller_group_stays_its_own():
    both = [criterion("a", "failed"), criterion("b", "failed")]
    found = alike(both, both, [criterion("a", "failed"), criterion("b")])
    assert [(group.students, group.criteria) for group in found.groups] == [
        (("s0", "s1", "s2"), ("a",)),
        (("s0", "s1"), ("b",)),
    ]


def test_who_handed_nothing_in_is_the_last_group_and_left_out_is_none():
    absent = [criterion("a", "missing", message="There is no file ctc.py.")]
    stub = [criterion("a", "missing", message="Write it in ctc.py:3.")]
    found = alike(absent, stub, absent, [criterion("a", "failed")], [criterion("a", "failed")])
    assert [group.cause.verdict for group in found.groups] == [Verdict.FAILED, Verdict.MISSING]
    assert found.groups[1].students == ("s0", "s1", "s2")
    optional = [student(f"s{n}", exercise("ctc", *absent, optional=True)) for n in range(3)]
    assert error_groups(results(*optional)).groups == ()


def test_a_fault_of_ours_is_a_group_too_so_that_it_can_be_graded_again():
    fault = [criterion("a", "grader_fault", message="", diagnosis="D.")]
    (group,) = alike(fault, fault).groups
    assert (group.cause.verdict, group.cause.diagnosis) == (Verdict.GRADER_FAULT, "")


def test_messages_that_differ_in_values_only_are_of_one_kind():
    assert message_kind("add(1, 2) gave -3.5e7, not 'x'") == message_kind("add(7, 8)  gave 4,\nnot 'yy'")
    assert message_kind("Wrong values.") != message_kind("Wrong values, NaN among them.")
    assert len(message_kind("a" * 1000)) < 1000


verdicts = st.sampled_from(list(Verdict))
tables = st.lists(st.lists(st.tuples(verdicts, st.sampled_from(["", "D.", "E."])), min_size=3, max_size=3), max_size=8)


@given(tables)
def test_every_failure_is_in_a_group_or_alone_and_groups_have_two_students_at_least(table):
    columns = [[criterion(f"c{k}", v.value, diagnosis=d or None) for k, (v, d) in enumerate(row)] for row in table]
    found = alike(*columns)
    failed = {f"s{n}" for n, row in enumerate(table) if any(v is not Verdict.PASSED for v, _ in row)}
    named = {id_ for group in found.groups for id_ in group.students} | {i for one in found.alone for i in one.students}
    assert named == failed
    assert all(len(group.students) > 1 for group in found.groups)
    assert all(len(set(group.students)) == len(group.students) for group in found.groups)


def test_the_largest_group_comes_first():
    sizes = [len(group.students) for group in error_groups(large_class(60)).groups]
    assert sizes == sorted(sizes, reverse=True)
