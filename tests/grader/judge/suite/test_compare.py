import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from grader.judge import Mismatch, assert_close, assert_equal, student_raises
from grader.judge.transports.outcomes import StudentFailure, raised
from grader.results.records import Verdict
from grader.wire.messages import Failure, Handle

plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
)


@given(plain)
def test_everything_equals_and_is_close_to_itself(value):
    assert_equal(value, value, "f()")
    assert_close(value, value, "f()")


@given(plain, plain)
def test_only_equal_data_is_equal(one, other):
    if one == other:
        return
    with pytest.raises(Mismatch):
        assert_equal(one, other, "f()")


@pytest.mark.parametrize(
    ("found", "expected", "words"),
    [
        (None, 3, "expected a number, found nothing (None)"),
        (torch.tensor(3), 3, ".item()"),
        ([torch.tensor(3)], [3], "f() at [0] is of the wrong kind"),
        ((1, 2), [1, 2], "expected a list, found a tuple"),
        ([1, 2], [1, 3], "f() at [1] must be 3, found 2"),
        ([1], [1, 3], "must have 2 items, it has 1"),
        ([[1, 2], [3]], [[1, 2], [4]], "at [1][0] must be 4"),
        ({"a": 1}, {"b": 1}, "must have the keys ['b']"),
        ("ab", "ac", "must be 'ac', found 'ab'"),
        ("1", 1, "expected a number, found a str"),
        (Handle(1, "generator"), [1], "an object of type generator"),
        (math.nan, 1.0, "is NaN"),
    ],
)
def test_messages_say_what_was_expected_and_found(found, expected, words):
    with pytest.raises(Mismatch) as caught:
        assert_equal(found, expected, "f()")
    assert words in str(caught.value)


def test_numbers_compare_as_numbers_and_inner_tuples_as_lists():
    assert_equal([(1, 2.0), True], [[1, 2], 1], "f()")


@pytest.mark.parametrize(
    ("found", "expected", "words"),
    [
        (torch.zeros(2, 3), torch.zeros(3, 2), "wrong shape: expected (3, 2), found (2, 3)"),
        (torch.zeros(2), torch.zeros(2, dtype=torch.float64), "wrong dtype: expected torch.float64"),
        (torch.tensor([0.0, 2.5]), torch.tensor([0.0, 2.0]), "1 of 2 values differ, the largest difference is 0.5"),
        (torch.tensor([[0.0, 2.5]]), torch.tensor([[0.0, 2.0]]), "Expected at [0, 1] 2, found 2.5"),
        (torch.tensor([math.nan, math.nan]), torch.zeros(2), "2 of them NaN"),
        (torch.tensor(1.0), torch.tensor(-math.inf), "Expected -inf, found 1"),
        ([0.0], torch.zeros(1), "expected a tensor, found a list"),
        (0.5, 0.6, "must be 0.6, found 0.5"),
        (-math.inf, 0.6, "must be 0.6, found -inf"),
    ],
)
def test_close_says_where_and_by_how_much(found, expected, words):
    with pytest.raises(Mismatch) as caught:
        assert_close(found, expected, "f()")
    assert words in str(caught.value)


def test_tolerances_follow_the_dtype():
    one = torch.tensor(1.0)
    assert_close(one + 1e-5, one, "f()")
    with pytest.raises(Mismatch):
        assert_close(one.double() + 1e-5, one.double(), "f()")
    assert_close(one.double() + 1e-5, one.double(), "f()", atol=1e-4)
    assert_close(-math.inf, -math.inf, "f()")
    assert_close(torch.tensor(-math.inf), torch.tensor(-math.inf), "f()")


def test_a_summary_carries_no_values():
    with pytest.raises(Mismatch) as caught:
        assert_close(torch.tensor([7.25]), torch.tensor([3.75]), "f(secret)")
    assert "3.75" in str(caught.value)
    for secret in ("3.75", "7.25", "secret"):
        assert secret not in caught.value.summary


def test_a_summary_is_a_sentence():
    with pytest.raises(Mismatch) as caught:
        assert_equal([1], [1, 2], "f()")
    assert caught.value.summary == "A list has the wrong number of items."


def failure(kind, text, verdict=Verdict.ERROR):
    return StudentFailure(verdict, "m", types=(kind, "Exception"), text=text)


def test_student_raises_accepts_the_right_error():
    with student_raises("ValueError", naming="blank"):
        raise raised(Failure(types=("MyError", "ValueError"), message="blank is negative"), "ctc.py")


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (failure("TypeError", "blank"), "raised TypeError instead"),
        (failure("ValueError", "no"), "must name the argument 'blank'"),
        (None, "raised nothing"),
    ],
)
def test_student_raises_refuses_others(error, words):
    with pytest.raises(Mismatch, match=words), student_raises("ValueError", naming="blank"):
        if error:
            raise error


def test_student_raises_lets_a_stub_be_a_stub():
    with pytest.raises(StudentFailure), student_raises("NotImplementedError", naming="x"):
        raise failure("NotImplementedError", "x", Verdict.MISSING)
