"""The summary of a job on GitHub stays below what GitHub shows."""

import json

from hypothesis import given
from hypothesis import strategies as st

from grader.student.summary import LIMIT, cut, summary


@given(st.text(min_size=1, max_size=9), st.integers(0, 40))
def test_a_summary_is_cut_below_the_limit(text, more):
    found = cut(text * ((LIMIT + more) // len(text)))
    assert len(found.encode()) <= LIMIT < 1024 * 1024


def test_a_short_summary_is_not_cut():
    assert cut("short") == "short"


def test_tests_that_could_not_run_are_told_and_nonsense_too():
    document = {"format": 1, "passed": False, "exercises": [{"name": "addition", "fault": "a <b> fault"}]}
    assert "The tests could not run: a &lt;b&gt; fault" in summary(json.dumps(document).encode())
    assert "did not run" in summary(b"")
