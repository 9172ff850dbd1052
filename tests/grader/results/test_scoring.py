import math

from hypothesis import given
from hypothesis import strategies as st

from grader.results.records import Criterion, CriterionResult, ExerciseResult, Kind, StudentResult, Verdict
from grader.results.scoring import course_score, exercise_score, left_out, points_of


def result(points: int, verdict: Verdict) -> CriterionResult:
    criterion = Criterion(
        id="x", title="X", kind=Kind.VALUE, points=points, hint="h", sentence="s", timeout=1, hidden=False
    )
    return CriterionResult(criterion=criterion, verdict=verdict)


results = st.builds(result, st.integers(1, 20), st.sampled_from(Verdict))
exercises = st.builds(
    lambda name, criteria: ExerciseResult(name=name, criteria=tuple(criteria)),
    st.sampled_from(["a", "b", "c"]),
    st.lists(results, max_size=8),
)
students = st.builds(
    lambda found: StudentResult(id="s", exercises=tuple(found)),
    st.lists(exercises, min_size=1, max_size=3, unique_by=lambda e: e.name),
)
weights = st.fixed_dictionaries({name: st.floats(0.1, 50) for name in "abc"})


@given(exercises)
def test_a_score_is_between_0_and_100(exercise):
    score = exercise_score(exercise)
    assert score is None or 0 <= score <= 100


@given(st.lists(results, min_size=1), st.randoms())
def test_the_order_of_criteria_does_not_matter(criteria, random):
    shuffled = random.sample(criteria, len(criteria))
    one, other = (exercise_score(ExerciseResult(name="a", criteria=tuple(c))) for c in (criteria, shuffled))
    assert one == other


@given(st.lists(results, min_size=1), st.data())
def test_passing_one_more_never_lowers_a_score(criteria, data):
    index = data.draw(st.integers(0, len(criteria) - 1))
    if criteria[index].verdict is Verdict.GRADER_FAULT:
        return  # what we could not judge is not comparable
    better = [*criteria]
    better[index] = result(criteria[index].criterion.points, Verdict.PASSED)
    before, after = (exercise_score(ExerciseResult(name="a", criteria=tuple(c))) for c in (criteria, better))
    assert after >= before


@given(students, weights)
def test_the_course_score_lies_between_the_exercise_scores(student, weights):
    scores = [s for e in student.exercises if (s := exercise_score(e)) is not None]
    total = course_score(student, weights)
    if not scores:
        assert total is None
    else:
        assert 0 <= total <= 100
        assert min(scores) - 1e-9 <= total <= max(scores) + 1e-9


@given(students, weights, st.randoms())
def test_the_course_score_does_not_depend_on_order(student, weights, random):
    shuffled = StudentResult(id="s", exercises=tuple(random.sample(student.exercises, len(student.exercises))))
    one, other = course_score(student, weights), course_score(shuffled, weights)
    assert one == other or math.isclose(one, other, rel_tol=1e-12)


def test_points_and_weights():
    a = ExerciseResult(name="a", criteria=(result(3, Verdict.PASSED), result(1, Verdict.TIMEOUT)))
    b = ExerciseResult(name="b", criteria=(result(2, Verdict.MISSING),))
    assert points_of(a.criteria) == (3, 4)
    assert (exercise_score(a), exercise_score(b)) == (75.0, 0.0)
    assert course_score(StudentResult(id="s", exercises=(a, b)), {"a": 2, "b": 1}) == 50.0


def test_our_own_fault_is_never_a_zero():
    fault = ExerciseResult(name="a", criteria=(result(3, Verdict.PASSED), result(5, Verdict.GRADER_FAULT)))
    assert exercise_score(fault) == 100.0
    assert fault.verdict is Verdict.GRADER_FAULT
    nothing = ExerciseResult(name="b", criteria=(result(3, Verdict.GRADER_FAULT),))
    assert exercise_score(nothing) is None
    assert course_score(StudentResult(id="s", exercises=(fault, nothing)), {"a": 1, "b": 9}) == 100.0


def test_an_optional_exercise_counts_only_for_those_who_hand_it_in():
    a = ExerciseResult(name="a", criteria=(result(3, Verdict.PASSED), result(1, Verdict.FAILED)))
    missing = ExerciseResult(name="b", criteria=(result(2, Verdict.MISSING), result(1, Verdict.MISSING)))
    failed = ExerciseResult(name="b", criteria=(result(2, Verdict.MISSING), result(1, Verdict.FAILED)))
    weights = {"a": 1, "b": 1}
    for b, optional, total in ((missing, {"b"}, 75.0), (missing, (), 37.5), (failed, {"b"}, 37.5)):
        assert course_score(StudentResult(id="s", exercises=(a, b)), weights, optional) == total
    assert left_out(missing, {"b"}) and not left_out(missing, {"a"}) and not left_out(failed, {"b"})
    assert course_score(StudentResult(id="s", exercises=(missing,)), weights, {"b"}) is None


@given(students, weights, st.sets(st.sampled_from(["a", "b", "c"])))
def test_making_exercises_optional_lowers_nobody(student, weights, optional):
    before, after = course_score(student, weights), course_score(student, weights, optional)
    assert before is None or after is None or after >= before - 1e-9
