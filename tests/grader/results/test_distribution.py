"""How scores are spread."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.results.distribution import BINS, bin_of, course_distribution, distributions
from tests.grader.made_results import criterion, exercise, results, student


def scored(*scores, **more):
    return results(*(student(f"s{n}", exercise("ctc", criterion("a"), score=s, **more)) for n, s in enumerate(scores)))


def test_a_full_score_is_alone_in_the_last_bin():
    (found,) = distributions(scored(0.0, 9.99, 10.0, 99.99, 100.0, 100.0))
    assert found.bins == (2, 1, 0, 0, 0, 0, 0, 0, 0, 1, 2)
    assert (found.name, found.title, found.students) == ("ctc", "All about ctc", 6)


def test_who_handed_nothing_in_and_whom_we_could_not_judge_are_in_no_bin():
    absent = student("s0", exercise("ctc", criterion("a", "missing")))
    fault = student("s1", exercise("ctc", criterion("a", "grader_fault")))
    right = student("s2", exercise("ctc", criterion("a")))
    (found,) = distributions(results(absent, fault, right))
    assert (found.missing, found.not_judged, found.students) == (1, 1, 1)
    assert (found.mean, found.median) == (100.0, 100.0)
    assert course_distribution(results(absent, fault, right)).not_judged == 1


def test_a_class_without_scores_has_no_mean():
    assert distributions(results()) == ()
    assert course_distribution(results()).mean is None


@given(st.lists(st.floats(0, 100), min_size=1, max_size=30))
def test_every_score_is_in_one_bin(scores):
    (found,) = distributions(scored(*scores))
    assert found.students == len(scores)
    assert found.mean == pytest.approx(sum(scores) / len(scores))


@given(st.floats(0, 100))
def test_a_bin_holds_its_range(score):
    number = bin_of(score)
    assert 10 * number <= score < 10 * (number + 1) or (number, score) == (BINS - 1, 100.0)
