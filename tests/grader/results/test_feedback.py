"""What a student should hear."""

from grader.results.feedback import first_step, points_by_kind, stand_ins
from grader.results.records import Kind
from tests.grader.made_results import criterion, exercise, student


def step(*exercises):
    found = first_step(student("s01", *exercises))
    return found and (found.exercise.name, found.criterion and found.criterion.id)


def test_the_first_lost_criterion_of_the_earliest_exercise_comes_first():
    right = exercise("one", criterion("a"), criterion("b"))
    wrong = exercise("two", criterion("a"), criterion("b", "timeout"), criterion("c", "failed"))
    assert step(right, wrong, exercise("three", criterion("a", "failed"))) == ("two", "b")


def test_what_was_not_handed_in_is_a_step_without_a_criterion():
    assert step(exercise("one", criterion("a", "missing")), exercise("two", criterion("a", "failed"))) == ("one", None)


def test_a_left_out_optional_exercise_and_faults_of_ours_are_nothing_to_do():
    optional = exercise("one", criterion("a", "missing"), optional=True)
    ours = exercise("two", criterion("a", "grader_fault"), criterion("b"))
    assert step(optional, ours, exercise("three", fault="no tests")) is None


def test_points_are_summed_by_kind_without_faults_of_ours():
    found = points_by_kind(
        [
            exercise("one", criterion("a", points=3), criterion("b", "failed", points=2)),
            exercise("two", criterion("a", kind=Kind.DEVICE), criterion("b", "grader_fault", kind=Kind.SHAPE)),
            exercise("three", criterion("a", "missing", points=9), optional=True),
        ]
    )
    assert [(one.kind, one.earned, one.possible) for one in found] == [(Kind.VALUE, 3, 5), (Kind.DEVICE, 1, 1)]


def test_a_stand_in_knows_whether_the_students_own_lost_points():
    later = exercise("three", criterion("a"), stand_ins=("one", "two", "elsewhere"))
    who = student("s01", exercise("one", criterion("a", "failed")), exercise("two", criterion("a")), later)
    assert [(s.name, s.lost_points) for s in stand_ins(who, later)] == [
        ("one", True),
        ("two", False),
        ("elsewhere", False),
    ]
