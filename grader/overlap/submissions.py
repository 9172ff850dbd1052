"""From submissions to texts that can be compared."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from grader.overlap.pairs import Text
from grader.submissions.base import Submission


def texts_by_exercise(submissions: Sequence[Submission], exercises: Iterable[str]) -> dict[str, list[Text]]:
    """For each exercise the text that counts of everybody who handed one in."""
    return {
        name: [
            Text(
                student=submission.student,
                attempt=submission.origin.attempt,
                group=frozenset(submission.origin.group),
                text=submission.sources[name].content.decode(errors="replace").replace("\r\n", "\n"),
            )
            for submission in submissions
            if name in submission.sources and submission.sources[name].content
        ]
        for name in exercises
    }
