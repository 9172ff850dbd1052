"""Two results of a class side by side: who moved, where, and why as far as the two files tell.

Pure functions over the records of results.json (docs/regrading.md). Nothing is judged here, so a reason is given only
where the data show it: another file, other criteria, another stand-in, an answered question, a fault that is gone.
Where they do not, the reason is ``unknown``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from enum import StrEnum

import msgspec

from grader.results.records import Verdict
from grader.results.schema import GradedCriterion, GradedExercise, GradedStudent, Results

FORMAT = 1


class Direction(StrEnum):
    """Where a student's score went."""

    UP = "up"
    DOWN = "down"
    SAME = "same"
    SCORED = "scored"  # there was no score before
    UNSCORED = "unscored"  # there is none now


class Reason(StrEnum):
    """Why something differs, in the order in which it is told."""

    FILE = "file"  # the student's file is another one
    OTHER_FILE = "other_file"  # a file of theirs for another exercise is another one; this exercise may build on it
    CRITERIA = "criteria"  # the suites have other criteria, or other points for them
    JUDGING = "judging"  # the same files were judged otherwise: a test, the secret or the grader changed, or by chance
    TRAINING = "training"  # criteria that train a model were left out, or still to come, on one side
    STAND_INS = "stand_ins"  # other modules of the course stood in for the student's own
    DECISION = "decision"  # a teacher's question was answered, or is open now
    FAULT = "fault"  # a fault of ours came or went
    COURSE = "course"  # exercises, or what they weigh
    UNKNOWN = "unknown"  # the two files do not tell


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """A criterion on one side."""

    verdict: Verdict
    points: int


class CriterionChange(msgspec.Struct, frozen=True, kw_only=True):
    """A criterion whose verdict or points differ for one student; ``None`` where it is not there."""

    id: str
    title: str
    hidden: bool
    before: Judged | None
    after: Judged | None


class ExerciseChange(msgspec.Struct, frozen=True, kw_only=True):
    """An exercise of one student in which something differs."""

    name: str
    title: str
    old_score: float | None
    new_score: float | None
    reasons: tuple[Reason, ...]
    criteria: tuple[CriterionChange, ...]

    @property
    def moved(self) -> bool:
        return self.old_score != self.new_score


class StudentChange(msgspec.Struct, frozen=True, kw_only=True):
    """A student in whose results something differs."""

    id: str
    name: str
    old_score: float | None
    new_score: float | None
    direction: Direction
    reasons: tuple[Reason, ...]
    exercises: tuple[ExerciseChange, ...]

    @property
    def moved(self) -> bool:
        return self.direction is not Direction.SAME


class Person(msgspec.Struct, frozen=True, kw_only=True):
    """A student whom only one side has."""

    id: str
    name: str
    score: float | None


class CriterionDiff(msgspec.Struct, frozen=True, kw_only=True):
    """A criterion over the class: whether the suite changed it, and how many pass it now who did not."""

    exercise: str
    id: str
    title: str
    hidden: bool
    points_before: int | None  # None where only the new results have it
    points_after: int | None
    now_pass: int
    no_longer_pass: int

    @property
    def declared_otherwise(self) -> bool:
        return self.points_before != self.points_after


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """How many; ``reasons`` counts those who moved, each under every reason."""

    students: int  # on both sides
    up: int
    down: int
    same: int
    scored: int
    unscored: int
    added: int
    removed: int
    reasons: dict[str, int]

    @property
    def moved(self) -> int:
        return self.students - self.same


class RunChange(msgspec.Struct, frozen=True, kw_only=True):
    """Something in which the two runs differ, and which may move everybody."""

    what: str
    before: str
    after: str


class ResultsDiff(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that differs."""

    format: int
    old_course: str
    new_course: str
    old_provisional: bool
    new_provisional: bool
    runs: tuple[RunChange, ...]
    summary: Summary
    only_old: tuple[str, ...]  # exercises
    only_new: tuple[str, ...]
    criteria: tuple[CriterionDiff, ...]
    students: tuple[StudentChange, ...]  # those who moved first, the largest change first
    added: tuple[Person, ...]
    removed: tuple[Person, ...]

    @property
    def moved(self) -> tuple[StudentChange, ...]:
        return tuple(student for student in self.students if student.moved)


def diff_results(old: Results, new: Results) -> ResultsDiff:
    """What differs between two results of a class; students are found by their ids."""
    before = {student.id: student for student in old.students}
    after = {student.id: student for student in new.students}
    both = [id_ for id_ in after if id_ in before]
    quick = old.made.quick != new.made.quick
    changes = [diff_student(before[id_], after[id_], quick=quick) for id_ in both]
    old_names, new_names = _exercise_names(old), _exercise_names(new)
    counts = Counter(change.direction for change in changes)
    reasons = Counter(reason for change in changes if change.moved for reason in change.reasons)
    return ResultsDiff(
        format=FORMAT,
        old_course=old.course,
        new_course=new.course,
        old_provisional=old.provisional,
        new_provisional=new.provisional,
        runs=_runs(old, new),
        summary=Summary(
            students=len(both),
            up=counts[Direction.UP],
            down=counts[Direction.DOWN],
            same=counts[Direction.SAME],
            scored=counts[Direction.SCORED],
            unscored=counts[Direction.UNSCORED],
            added=len(after) - len(both),
            removed=len(before) - len(both),
            reasons={reason.value: reasons[reason] for reason in Reason if reasons[reason]},
        ),
        only_old=tuple(name for name in old_names if name not in new_names),
        only_new=tuple(name for name in new_names if name not in old_names),
        criteria=_criteria(changes, [*new_names]),
        students=tuple(sorted((c for c in changes if c.moved or c.exercises), key=_order)),
        added=tuple(_person(student) for student in new.students if student.id not in before),
        removed=tuple(_person(student) for student in old.students if student.id not in after),
    )


def diff_student(old: GradedStudent, new: GradedStudent, *, quick: bool = False) -> StudentChange:
    """One student on both sides; ``quick``: one of the two runs left out the criteria that train a model."""
    before = {exercise.name: exercise for exercise in old.exercises}
    after = {exercise.name: exercise for exercise in new.exercises}
    both = [name for name in after if name in before]
    again = _again(old, new)
    files = {name: file_changed(before[name], after[name], again=again) for name in both}
    found = [diff_exercise(before[name], after[name], files, quick=quick) for name in both]
    exercises = tuple(change for change in found if change.moved or change.criteria)
    moved = old.score != new.score
    reasons = {reason for change in exercises if change.moved or not moved for reason in change.reasons}
    if moved and _course(before) != _course(after):
        reasons.add(Reason.COURSE)
    if moved and (old.question, old.needs_review) != (new.question, new.needs_review):
        reasons.add(Reason.DECISION)
    return StudentChange(
        id=new.id,
        name=new.name or old.name,
        old_score=old.score,
        new_score=new.score,
        direction=_direction(old.score, new.score),
        reasons=_in_order(reasons) or ((Reason.UNKNOWN,) if moved else ()),
        exercises=exercises,
    )


def diff_exercise(
    old: GradedExercise, new: GradedExercise, files: Mapping[str, bool | None], *, quick: bool = False
) -> ExerciseChange:
    """One exercise of one student; ``files`` says of each of their exercises whether the file is another one."""
    before = {criterion.id: criterion for criterion in old.criteria}
    after = {criterion.id: criterion for criterion in new.criteria}
    ids = [*after, *(id_ for id_ in before if id_ not in after)]
    changes = (_criterion_change(before.get(id_), after.get(id_)) for id_ in ids)
    criteria = tuple(change for change in changes if change is not None)
    return ExerciseChange(
        name=new.name,
        title=new.title or old.title,
        old_score=old.score,
        new_score=new.score,
        reasons=_reasons(old, new, criteria, files, quick=quick) if criteria or old.score != new.score else (),
        criteria=criteria,
    )


def file_changed(old: GradedExercise, new: GradedExercise, *, again: bool) -> bool | None:
    """Whether another file counts, or None where the results do not tell.

    ``again`` says that the student handed in at another time. Results from before there was a hash have only the
    file's name: another name is another file, the same name says nothing.
    """
    if old.digest and new.digest:
        return old.digest != new.digest
    if _handed_in(old) != _handed_in(new) or again or (old.origin and new.origin and old.origin != new.origin):
        return True
    return None if _handed_in(new) else False


def _handed_in(exercise: GradedExercise) -> bool:
    return bool(exercise.digest or exercise.origin) or exercise.verdict is not Verdict.MISSING


def _again(old: GradedStudent, new: GradedStudent) -> bool:
    """Whether it is known that they handed in again."""
    pairs = ((old.attempt, new.attempt), (old.submitted_at, new.submitted_at))
    return any(None not in pair and pair[0] != pair[1] for pair in pairs)


def _reasons(
    old: GradedExercise,
    new: GradedExercise,
    criteria: Sequence[CriterionChange],
    files: Mapping[str, bool | None],
    *,
    quick: bool,
) -> tuple[Reason, ...]:
    reasons: set[Reason] = set()
    same_file = files.get(new.name) is False
    same_files = same_file and all(changed is False for changed in files.values())
    if files.get(new.name):
        reasons.add(Reason.FILE)
    if same_file and any(changed for name, changed in files.items() if name != new.name):
        reasons.add(Reason.OTHER_FILE)
    if old.pending != new.pending or (quick and any(c.before is None or c.after is None for c in criteria)):
        reasons.add(Reason.TRAINING)
    if old.stand_ins != new.stand_ins:
        reasons.add(Reason.STAND_INS)
    if old.question != new.question:
        reasons.add(Reason.DECISION)
    if bool(old.fault) != bool(new.fault) or any(map(_is_fault, criteria)):
        reasons.add(Reason.FAULT)
    if _other_criteria(criteria, partly=bool(reasons & {Reason.TRAINING, Reason.FAULT})):
        reasons.add(Reason.CRITERIA)
    judged_otherwise = any(
        change.before and change.after and change.before.verdict is not change.after.verdict and not _is_fault(change)
        for change in criteria
    )
    if judged_otherwise and same_files and not reasons & {Reason.STAND_INS, Reason.DECISION}:
        reasons.add(Reason.JUDGING)
    return _in_order(reasons) or (Reason.UNKNOWN,)


def _other_criteria(criteria: Sequence[CriterionChange], *, partly: bool) -> bool:
    """``partly``: not all criteria were judged on both sides, so one that is absent need not be a new one."""
    for change in criteria:
        if change.before is None or change.after is None:
            if not partly:
                return True
        elif change.before.points != change.after.points:
            return True
    return False


def _is_fault(change: CriterionChange) -> bool:
    verdicts = {side.verdict for side in (change.before, change.after) if side}
    return Verdict.GRADER_FAULT in verdicts and len(verdicts) > 1


def _criterion_change(old: GradedCriterion | None, new: GradedCriterion | None) -> CriterionChange | None:
    before, after = _judged(old), _judged(new)
    shown = new or old
    if before == after or shown is None:
        return None
    return CriterionChange(id=shown.id, title=shown.title, hidden=shown.hidden, before=before, after=after)


def _judged(criterion: GradedCriterion | None) -> Judged | None:
    return None if criterion is None else Judged(verdict=criterion.verdict, points=criterion.points)


def _criteria(students: Sequence[StudentChange], exercises: Sequence[str]) -> tuple[CriterionDiff, ...]:
    """Every criterion that differs for somebody, in the order of the exercises."""
    found: dict[tuple[str, str], list[CriterionChange]] = {}
    for student in students:
        for exercise in student.exercises:
            for change in exercise.criteria:
                found.setdefault((exercise.name, change.id), []).append(change)
    return tuple(
        CriterionDiff(
            exercise=exercise,
            id=id_,
            title=changes[0].title,
            hidden=changes[0].hidden,
            points_before=next((c.before.points for c in changes if c.before), None),
            points_after=next((c.after.points for c in changes if c.after), None),
            now_pass=sum(_passes(c.after) and not _passes(c.before) for c in changes),
            no_longer_pass=sum(_passes(c.before) and not _passes(c.after) for c in changes),
        )
        for (exercise, id_), changes in sorted(found.items(), key=lambda entry: exercises.index(entry[0][0]))
    )


def _passes(side: Judged | None) -> bool:
    return side is not None and side.verdict is Verdict.PASSED


def _direction(old: float | None, new: float | None) -> Direction:
    if old == new:
        return Direction.SAME
    if old is None:
        return Direction.SCORED
    if new is None:
        return Direction.UNSCORED
    return Direction.UP if new > old else Direction.DOWN


def _order(change: StudentChange) -> tuple[bool, float, str]:
    return (not change.moved, -abs((change.new_score or 0) - (change.old_score or 0)), change.id)


def _in_order(reasons: set[Reason]) -> tuple[Reason, ...]:
    """What is known first; ``unknown`` stays where something of the student is not explained."""
    return tuple(reason for reason in Reason if reason in reasons)


def _course(exercises: Mapping[str, GradedExercise]) -> dict[str, tuple[float, bool]]:
    return {name: (exercise.weight, exercise.optional) for name, exercise in exercises.items()}


def _runs(old: Results, new: Results) -> tuple[RunChange, ...]:
    """What the files say about the two runs; nothing where one of them does not say it."""
    one, other = old.made, new.made
    known = bool(one.at and other.at)
    sides = [
        ("grader", one.grader, other.grader),
        ("python", one.python, other.python),
        ("torch", one.torch, other.torch),
        ("secret", one.seed, other.seed),
        ("confinement", old.confinement.level, new.confinement.level),
        ("quick", "yes" if one.quick else "no", "yes" if other.quick else "no"),
    ]
    return tuple(
        RunChange(what=what, before=before, after=after)
        for what, before, after in sides
        if before and after and before != after and (known or what == "confinement")
    )


def _exercise_names(results: Results) -> dict[str, None]:
    return {exercise.name: None for student in results.students for exercise in student.exercises}


def _person(student: GradedStudent) -> Person:
    return Person(id=student.id, name=student.name, score=student.score)
