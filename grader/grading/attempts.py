"""Several attempts of one student: all are judged, and the best counts. And what becomes of open questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from grader.course import Course
from grader.results import schema
from grader.results.records import StudentResult
from grader.results.schema import Confinement, GradedStudent, Made, Origin, Results
from grader.submissions.base import Submission


class Attempted:
    """The submissions of a class, each under a name of its own while it is judged."""

    def __init__(self, submissions: Sequence[Submission], *, zero: bool = False) -> None:
        """With ``zero``, what the teacher must decide is decided: it counts as not handed in."""
        self.students: dict[str, str] = {}  # name while judged -> student
        self.submissions: list[Submission] = []
        self.origins: dict[str, Origin] = {}
        counts = Counter(submission.student for submission in submissions)
        for submission in submissions:
            origin = _decided(submission.origin) if zero else submission.origin
            name = submission.student
            if counts[name] > 1:
                name = f"{name}\0{origin.attempt}"  # no student is called so
            self.students[name] = submission.student
            self.origins[name] = origin
            self.submissions.append(msgspec.structs.replace(submission, student=name, origin=origin))

    def results(
        self,
        course: Course,
        students: Sequence[StudentResult],
        confinement: Confinement,
        *,
        provisional: bool,
        made: Made | None = None,
    ) -> Results:
        """One row for each student."""
        results = schema.make_results(course, students, confinement, self.origins, provisional=provisional, made=made)
        rows: dict[str, list[GradedStudent]] = {}
        for row in results.students:
            rows.setdefault(self.students[row.id], []).append(row)
        return msgspec.structs.replace(results, students=tuple(_best(name, found) for name, found in rows.items()))


def _best(student: str, attempts: Sequence[GradedStudent]) -> GradedStudent:
    """The attempt with the best score; of two equal ones the later."""
    best = max(attempts, key=lambda row: (-1.0 if row.score is None else row.score, row.attempt or 0))
    if len(attempts) == 1:
        return best
    note = f"attempt {best.attempt} counts, the best of {len(attempts)}"
    return msgspec.structs.replace(best, id=student, notes=(*best.notes, note))


def _decided(origin: Origin) -> Origin:
    """Without questions: what was asked becomes a note."""
    asked = [origin.question, *(f"{name}: {question}" for name, question in origin.questions.items())]
    notes = tuple(f"counts as not handed in: {question}" for question in asked if question)
    return msgspec.structs.replace(origin, question="", questions={}, notes=(*origin.notes, *notes))
