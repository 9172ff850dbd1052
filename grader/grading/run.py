"""A run over a class: look up what is known, judge what is new, write it down at once.

First come the criteria that take a moment, for everybody; then those that train a model. So a teacher sees a table
early, and it gets better. A run that was killed finds everything that it had finished in the gradebook.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import msgspec

from grader.grading.backends.base import Backend
from grader.grading.settings import Settings
from grader.grading.stand_ins import improve
from grader.grading.tasks import Entry, TaskReader, Work
from grader.results.gradebook import Gradebook
from grader.results.records import CriterionResult, ExerciseResult, StudentResult, Verdict
from grader.submissions.base import Submission

LEAST_BUDGET = 1.0  # seconds for what trains a model, however long the short criteria took
OWN_SHARE = 0.8  # of the budget of an exercise that trains a model: for the first attempt, without stand-ins


WITH_STAND_INS = "again with stand-ins"


class ClassRun:
    """All submissions of a class on their way to results: ``judge_short``, then ``judge_long``."""

    def __init__(
        self, settings: Settings, submissions: Sequence[Submission], gradebook: Gradebook, backend: Backend,
        reader: TaskReader | None = None,
    ) -> None:  # fmt: skip
        self.settings = settings
        self.submissions = submissions
        self.gradebook = gradebook
        self.backend = backend
        self.reader = reader or TaskReader(settings)  # it reads all suites: whoever has one already gives it
        self.entries = [self.reader.entry(s, exercise) for s in submissions for exercise in settings.exercises]
        self.results: dict[str, ExerciseResult] = {}  # by key
        self.known: dict[CriterionResult, CriterionResult] = {}  # most students share most of these
        self.spent: dict[tuple[str, str], dict[str, float]] = {}  # by student and exercise: seconds for each key
        self.improved: list[ExerciseResult] = []  # what counts for each entry, once stand-ins were tried
        self.long_too = False  # whether what trains a model is judged by now

    def judge_short(self, on_done: Callable[[Work], None], say: Callable[[str], None] = lambda what: None) -> None:
        """What takes a moment, for everybody; afterwards ``students`` has a provisional answer.

        ``say`` is told what is done when no single work tells it.
        """
        self._judge([entry.short for entry in self.entries], on_done)
        say(WITH_STAND_INS)
        self._judge_with_stand_ins()

    @property
    def long_works(self) -> list[Work]:
        """What trains a model."""
        return [entry.long for entry in self.entries if entry.long is not None]

    @property
    def has_long_work(self) -> bool:
        """Whether something that trains a model is not judged yet."""
        return any(not self.gradebook.find(work.key) for work in self.long_works)

    def judge_long(self, on_done: Callable[[Work], None], say: Callable[[str], None] = lambda what: None) -> None:
        """What trains a model; after ``judge_short``."""
        self.long_too = True
        self._judge(self._long(self.entries), on_done)
        say(WITH_STAND_INS)
        self._judge_with_stand_ins()

    def _judge_with_stand_ins(self) -> None:
        """What failed once more, where earlier exercises may be at fault."""

        def judge(works: Iterable[Work]) -> dict[str, ExerciseResult]:
            self._judge(list(works))
            return self.results

        def judge_whole(entries: Iterable[Entry]) -> list[ExerciseResult]:
            entries = list(entries)
            self._judge([entry.short.within(max(LEAST_BUDGET, self._seconds_left(entry))) for entry in entries])
            if self.long_too:
                self._judge(self._long(entries))
            return [self._whole(entry) for entry in entries]

        results = [self._whole(entry) for entry in self.entries]
        self.improved = improve(self.entries, results, self.reader, judge, judge_whole, self._seconds_for)

    def _seconds_left(self, entry: Entry) -> float:
        """For more attempts at this exercise, all that were made so far taken off."""
        spent = sum(self.spent.get((entry.student, entry.exercise), {}).values())
        return max(0.0, self._budget(entry) - spent)

    def _seconds_for(self, entry: Entry, work: Work) -> float:
        """For this part of another attempt: before models are trained, a small part of what is left for attempts."""
        left = self._seconds_left(entry)
        if work.key in self.results:  # it costs nothing
            return max(left, LEAST_BUDGET)
        return left if self.long_too or entry.long is None else min(left, (1 - OWN_SHARE) / 2 * self._budget(entry))

    def _budget(self, entry: Entry) -> float:
        return self.settings.course.exercise(entry.exercise).budget

    def students(self) -> tuple[StudentResult, ...]:
        """The results as far as they are known; exercises for which something is still to come say so."""
        by_entry = iter(self.improved)
        return tuple(
            StudentResult(id=submission.student, exercises=tuple(next(by_entry) for _ in self.settings.exercises))
            for submission in self.submissions
        )

    def _judge(self, works: Sequence[Work], on_done: Callable[[Work], None] = lambda work: None) -> None:
        self.results |= judge_works(self.backend, works, self.gradebook, on_done, self._shared)
        for work in works:
            spent = self.spent.setdefault((work.student, work.task.exercise), {})
            spent[work.key] = self.results[work.key].seconds

    def _shared(self, result: ExerciseResult) -> ExerciseResult:
        """The same result, but what others have too is in memory once."""
        criteria = tuple(self.known.setdefault(one, one) for one in result.criteria)
        return msgspec.structs.replace(result, criteria=criteria)

    def _long(self, entries: Iterable[Entry]) -> list[Work]:
        """The works that train a model; one budget covers both parts of an attempt, and all attempts."""
        works = []
        for entry in entries:
            if entry.long is not None:
                own = OWN_SHARE * self._budget(entry) - self.results[entry.short.key].seconds
                left = max(LEAST_BUDGET, self._seconds_left(entry) if entry.stand_ins else own)
                works.append(entry.long.within(left))
        return works

    def _whole(self, entry: Entry) -> ExerciseResult:
        short = self.results[entry.short.key]
        if entry.long is None:
            return short
        if entry.long.key not in self.results:
            return msgspec.structs.replace(short, pending=True)
        return merge(short, self.results[entry.long.key], self.reader.order[entry.exercise])


def judge_works(
    backend: Backend,
    works: Sequence[Work],
    gradebook: Gradebook,
    on_done: Callable[[Work], None],
    keep: Callable[[ExerciseResult], ExerciseResult] = lambda result: result,
) -> dict[str, ExerciseResult]:
    """The result for each key, as ``keep`` makes it: from the gradebook, or judged now and written into it."""
    results: dict[str, ExerciseResult] = {}
    waiting: dict[str, list[Work]] = {}
    for work in works:
        if work.key in results:
            on_done(work)
        elif found := gradebook.find(work.key):
            results[work.key] = keep(found)
            on_done(work)
        else:
            waiting.setdefault(work.key, []).append(work)
    for work, result in backend.judge([same[0] for same in waiting.values()]):
        gradebook.add(work.key, work.student, result)
        results[work.key] = keep(result)
        for same in waiting[work.key]:
            on_done(same)
    return results


def merge(short: ExerciseResult, long: ExerciseResult, order: Sequence[str]) -> ExerciseResult:
    """Both parts of an exercise as one result, with the criteria in the order of the suites."""
    place = {id_: number for number, id_ in enumerate(order)}
    criteria = sorted((*short.criteria, *long.criteria), key=lambda one: place.get(one.criterion.id, len(place)))
    return msgspec.structs.replace(
        short,
        criteria=tuple(criteria),
        fault=short.fault or long.fault,
        seconds=short.seconds + long.seconds,
        problem=short.problem or long.problem,
        notes=tuple(dict.fromkeys((*short.notes, *long.notes))),
        findings=(*short.findings, *long.findings),
        explained=all(part.explained or part.verdict is Verdict.PASSED for part in (short, long)),
    )
