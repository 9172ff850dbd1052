"""From submissions to texts."""

from grader.overlap.submissions import texts_by_exercise
from grader.results.schema import Origin
from grader.submissions.base import Source, Submission


def test_the_text_that_counts_is_taken_with_group_and_attempt_and_nothing_where_there_is_none():
    one = Submission(
        student="s01",
        sources={"ctc": Source(content=b"x = 1\r\ny = '\xff'\r\n"), "rnn": Source(content=b"", problem="too large")},
        origin=Origin(group=("s01", "s02"), attempt=2),
    )
    found = texts_by_exercise([one, Submission(student="s03", sources={})], ["ctc", "rnn"])
    (text,) = found["ctc"]
    assert (text.student, text.group, text.attempt) == ("s01", {"s01", "s02"}, 2)
    assert text.text == "x = 1\ny = '�'\n"
    assert found["rnn"] == []
