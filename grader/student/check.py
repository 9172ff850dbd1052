"""``grader check``: the public tests on the student's own files, one exercise after the other."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Iterator

import msgspec

from grader.course import Course, Exercise
from grader.course.suites import Suite
from grader.judge.processes.events import Event, Noticed
from grader.judge.processes.oneshot import run_suites
from grader.judge.processes.task import JudgeFault
from grader.judge.transports.inprocess import read_files
from grader.results.records import CriterionResult, ExerciseResult, Verdict
from grader.student.places import source_at
from grader.student.progress import ExerciseProgress, after_check, keep_progress, key_of, read_progress
from grader.student.recognised import findings_of
from grader.student.targets import Target

ORDER = (Verdict.FAILED, Verdict.ERROR, Verdict.TIMEOUT, Verdict.MEMORY, Verdict.CRASHED)  # explained first


class Checked(msgspec.Struct, frozen=True, kw_only=True):
    """One exercise after its tests ran, or did not need to."""

    exercise: Exercise
    progress: ExerciseProgress
    result: ExerciseResult | None = None  # None: the files are as they were when all passed, or there is a fault
    fault: str = ""  # what kept its tests from running
    noticed: dict[str, Noticed] = {}
    sources: dict[str, str] = {}  # criterion -> the student's line at which it ended; "": of the import
    kept: bool = True  # whether the progress could be written

    @property
    def green(self) -> bool:
        return not self.fault and (self.result.verdict is Verdict.PASSED if self.result else self.progress.green)


def check_exercises(
    course: Course,
    targets: Iterable[Target],
    *,
    again: bool = False,
    tell: Callable[[Exercise, Event | None], None] = lambda exercise, event: None,
) -> Iterator[Checked]:
    """Each exercise with its result, or with what kept its tests from running; ``tell`` hears what happens."""
    for target in targets:
        exercise = target.exercise
        before = read_progress(course).of(exercise)
        suite = course.public_suite(exercise)
        if not suite.is_file():
            fault = f"Its tests are missing: {suite}. Get a fresh copy of the course."
            yield Checked(exercise=exercise, progress=before, fault=fault)
            continue
        key = key_of(course, exercise, target.work)
        if before.green and before.key == key and not again:
            yield Checked(exercise=exercise, progress=before)
            continue
        tell(exercise, None)
        yield _check(course, target, before, key, lambda event, exercise=exercise: tell(exercise, event))  # type: ignore[misc]


def _check(
    course: Course, target: Target, before: ExerciseProgress, key: str, tell: Callable[[Event], None]
) -> Checked:
    exercise = target.exercise
    try:
        run = run_suites(
            [course.public_suite(exercise)],
            target.work,
            budget=exercise.budget,
            seed=course.secret,
            cwd=course.root,
            checking=True,
            recognise=True,
            tell=tell,
        )
    except JudgeFault as fault:
        return Checked(exercise=exercise, progress=before, fault=f"Its tests could not be run:\n{fault}")
    result = ExerciseResult(
        name=exercise.name,
        criteria=run.criteria,
        problem=run.imported.in_full,
        notes=run.imported.notes,
        findings=findings_of(course, exercise, run.diagnosed),
    )
    progress = after_check(before, key, result, datetime.datetime.now(datetime.UTC))
    own = target.work == course.module(exercise)  # what is checked elsewhere is somebody else's, or a trial
    return Checked(
        exercise=exercise,
        progress=progress,
        result=result,
        noticed=run.noticed,
        sources=sources_of(course, target, result, run.noticed),
        kept=keep_progress(course, exercise, progress) if own else True,
    )


def sources_of(course: Course, target: Target, result: ExerciseResult, noticed: dict[str, Noticed]) -> dict[str, str]:
    """For every criterion that ended at a known line of the student's, that line."""
    files = read_files(Suite(course, target.exercise, hidden=False).student_files(target.work))
    found = {"": source_at(result.problem, files)}
    for one in result.criteria:
        place = one.line or (noticed[one.criterion.id].place if one.criterion.id in noticed else "")
        found[one.criterion.id] = source_at(place, files)
    return {id_: line for id_, line in found.items() if line}


def first_to_mend(result: ExerciseResult) -> CriterionResult | None:
    """What to look at first: what is wrong before what is not written yet."""
    wrong = [one for one in result.criteria if one.verdict in ORDER and not one.message.startswith("Skipped")]
    return next(iter(wrong), next((one for one in result.criteria if not one.passed), None))
