"""``results.json``: one set of records that writes it and reads it, as docs/results.md specifies.

Statistics, pages and exports take these records and nothing else. So they work on another machine, and later. A later
format only adds keys: what an older file does not have gets its default here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from grader.course import Course, Exercise
from grader.errors import ResultsError
from grader.results.explained import words_of
from grader.results.records import CriterionResult, ExerciseResult, Finding, Kind, StudentResult, Verdict
from grader.results.scoring import course_score, exercise_score, points_of

FILE_NAME = "results.json"
FORMAT = 1


class GradedCriterion(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One criterion for one student."""

    id: str
    title: str
    kind: Kind
    points: int
    hidden: bool
    verdict: Verdict
    message: str = ""
    line: str = ""
    hint: str = ""
    diagnosis: str | None = None
    misconceptions: tuple[str, ...] = ()
    sentence: str = ""  # what the test looks at, as students read it


class GradedMistake(msgspec.Struct, frozen=True, kw_only=True):
    """One mistake behind the failures of an exercise."""

    misconceptions: tuple[str, ...]  # the ids of the known mistakes that it can be
    criteria: tuple[str, ...]  # the failed criteria that it explains
    likeness: bool = False  # it explains only a part: "looks like"
    severity: int = 100  # percent of the exercise that it costs at most, where a mistake costs once
    words: str = ""  # what the student is told about it

    @property
    def name(self) -> str:
        """What counts as one in statistics."""
        return "looks like " * self.likeness + " or ".join(self.misconceptions)


class GradedExercise(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One exercise of one student."""

    name: str
    score: float | None = None
    verdict: Verdict
    criteria: tuple[GradedCriterion, ...]
    stand_ins: tuple[str, ...] = ()
    title: str = ""
    weight: float = 1.0
    optional: bool = False
    points_earned: int = 0
    points_possible: int = 0
    pending: bool = False  # criteria that train a model are still to come
    origin: str = ""  # the file that counts, as it was called where it came from
    problem: str = ""  # why no criterion was reached
    notes: tuple[str, ...] = ()  # what people should know about the files, though it costs nothing
    seconds: float = 0.0  # that judging it took
    question: str = ""  # what a teacher must decide before it has a score
    digest: str = ""  # a hash of the student's files that were judged
    seam: str = ""  # why stand-ins were needed: what went wrong with the student's own modules
    mistakes: tuple[GradedMistake, ...] = ()  # found behind the failures
    explained: bool = False  # whether these give every answer that the student's code gave
    # What follows is never in results.json: it is worked out whenever results are shown (results/final.py).
    adjustments: tuple[str, ...] = ()  # what a teacher changed, and why
    days_late: int = 0
    penalty: float = 0.0  # of 100, for being late
    raised: float = 0.0  # what the rule that a mistake costs once adds to the score
    final: float | None = None  # the score after adjustments and penalty
    fault: str | msgspec.UnsetType = msgspec.UNSET

    @property
    def left_out(self) -> bool:
        """Whether it is an optional exercise that the student did not hand in."""
        return self.optional and self.verdict is Verdict.MISSING

    def mistakes_of(self, criterion: GradedCriterion) -> tuple[GradedMistake, ...]:
        """The mistakes behind a failure. Results of earlier versions have their names with the criterion alone."""
        found = tuple(mistake for mistake in self.mistakes if criterion.id in mistake.criteria)
        if found or not criterion.misconceptions:
            return found
        words = criterion.diagnosis or ""
        return (GradedMistake(misconceptions=criterion.misconceptions, criteria=(criterion.id,), words=words),)


class GradedStudent(msgspec.Struct, frozen=True, kw_only=True):
    """One submission: a student's, or a group's."""

    id: str
    score: float | None = None
    name: str = ""
    group: tuple[str, ...] = ()  # the ids of its members, where several students handed in together
    submitted_at: str | None = None  # ISO 8601, where the layout tells it
    attempt: int | None = None
    notes: tuple[str, ...] = ()  # what a teacher should know about how it was read
    needs_review: bool = False  # a teacher must decide something: no score until then
    question: str = ""  # what, if it concerns everything that was handed in
    final: float | None = None  # worked out whenever results are shown: the score by the course's policy
    policy: tuple[str, ...] = ()  # how it came about
    exercises: tuple[GradedExercise, ...]


class Confinement(msgspec.Struct, frozen=True, kw_only=True):
    """How student code was kept away from everything else."""

    level: str = ""
    layers: dict[str, str | None] = {}  # null where a layer was in force, else why not


class Made(msgspec.Struct, frozen=True, kw_only=True):
    """How results came about."""

    at: str = ""  # ISO 8601
    grader: str = ""
    python: str = ""
    torch: str = ""
    exercises: tuple[str, ...] = ()  # those that were judged in this run
    quick: bool = False
    diagnosis: bool = False
    seed: str = ""  # a hash of the secret: equal where hidden inputs are equal


class Results(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a run found out."""

    format: int
    course: str
    made: Made = Made()
    provisional: bool = False  # written on the way: criteria that train a model are still to come
    confinement: Confinement = Confinement()
    students: tuple[GradedStudent, ...]


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a submission beside its files: it goes into the results as it is."""

    name: str = ""
    group: tuple[str, ...] = ()
    submitted_at: str | None = None
    attempt: int | None = None
    notes: tuple[str, ...] = ()
    files: dict[str, str] = {}  # exercise -> where its file came from
    question: str = ""  # what a teacher must decide before there is any score
    questions: dict[str, str] = {}  # the same for single exercises
    digests: dict[str, str] = {}  # exercise -> a hash of what was handed in for it


Graded = Callable[[CriterionResult, tuple[Finding, ...]], GradedCriterion]


def make_results(
    course: Course,
    students: Sequence[StudentResult],
    confinement: Confinement,
    origins: Mapping[str, Origin],
    *,
    provisional: bool = False,
    made: Made | None = None,
) -> Results:
    """The results of a run; ``origins`` is by student.

    Most students share most of what criteria say, so equal criteria are one object.
    """
    known: dict[tuple[CriterionResult, tuple[Finding, ...]], GradedCriterion] = {}

    def graded(result: CriterionResult, findings: tuple[Finding, ...]) -> GradedCriterion:
        if (result, findings) not in known:
            known[result, findings] = _criterion(result, findings)
        return known[result, findings]

    return Results(
        format=FORMAT,
        course=course.title,
        made=made or Made(),
        provisional=provisional,
        confinement=confinement,
        students=tuple(_student(course, student, origins.get(student.id, Origin()), graded) for student in students),
    )


def _student(course: Course, student: StudentResult, origin: Origin, graded: Graded) -> GradedStudent:
    open_questions = {result.name for result in student.exercises} & origin.questions.keys()
    needs_review = bool(origin.question or open_questions)
    return GradedStudent(
        id=student.id,
        score=None if needs_review else rounded(course_score(student, course.weights, course.optional)),
        name=origin.name,
        group=origin.group,
        submitted_at=origin.submitted_at,
        attempt=origin.attempt,
        notes=origin.notes,
        needs_review=needs_review,
        question=origin.question,
        exercises=tuple(
            graded_exercise(
                course.exercise(result.name),
                result,
                origin.files.get(result.name, ""),
                origin.question or origin.questions.get(result.name, ""),
                origin.digests.get(result.name, ""),
                graded,
            )
            for result in student.exercises
        ),
    )


def graded_exercise(
    exercise: Exercise,
    result: ExerciseResult,
    origin: str = "",
    question: str = "",
    digest: str = "",
    graded: Graded | None = None,
) -> GradedExercise:
    """``question`` is what a teacher must decide first; until then there is no score."""
    earned, possible = points_of(result.criteria)
    return GradedExercise(
        name=exercise.name,
        score=None if question else rounded(exercise_score(result)),
        question=question,
        digest=digest,
        verdict=result.verdict,
        criteria=tuple((graded or _criterion)(one, result.findings_of(one.criterion.id)) for one in result.criteria),
        mistakes=tuple(map(_mistake, result.findings)),
        explained=result.explained,
        stand_ins=result.stand_ins,
        seam=result.seam,
        title=exercise.title,
        weight=exercise.weight,
        optional=exercise.optional,
        points_earned=earned,
        points_possible=possible,
        pending=result.pending,
        origin=origin,
        problem=result.problem,
        notes=result.notes,
        seconds=round(result.seconds, 2),
        fault=result.fault or msgspec.UNSET,
    )


def _mistake(finding: Finding) -> GradedMistake:
    return GradedMistake(
        misconceptions=tuple(mistake.id for mistake in finding.mistakes),
        criteria=finding.criteria,
        likeness=finding.likeness,
        severity=min(mistake.severity for mistake in finding.mistakes),  # in doubt, for the student
        words=words_of([finding]),
    )


def _criterion(result: CriterionResult, findings: tuple[Finding, ...]) -> GradedCriterion:
    criterion = result.criterion
    return GradedCriterion(
        id=criterion.id,
        title=criterion.title,
        kind=criterion.kind,
        points=criterion.points,
        hidden=criterion.hidden,
        verdict=result.verdict,
        message=result.message,
        line=result.line,
        hint="" if result.passed else criterion.hint,
        diagnosis=words_of(findings) or None,
        misconceptions=tuple(dict.fromkeys(mistake.id for finding in findings for mistake in finding.mistakes)),
        sentence=criterion.sentence,
    )


def rounded(score: float | None) -> float | None:
    return None if score is None else round(score, 2)


def as_json(document: Any) -> str:
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode() + "\n"


def results_json(results: Results) -> Iterator[bytes]:
    """The same as ``as_json``, a student at a time: the file of a large class is never in memory as a whole."""
    head, empty, tail = as_json(msgspec.structs.replace(results, students=())).encode().rpartition(b"[]")
    yield head
    before = b"[\n    "
    for student in results.students:
        text = msgspec.json.format(msgspec.json.encode(student), indent=2)
        yield before + text.replace(b"\n", b"\n    ")  # no string in JSON has a line break
        before = b",\n    "
    yield (b"\n  ]" if results.students else empty) + tail


def load_results(path: Path) -> Results:
    """The results in this file, or in the folder that holds it."""
    file = path / FILE_NAME if path.is_dir() else path
    if not file.is_file():
        raise ResultsError(f"{file}: not found. `grader grade SUBMISSIONS --out {path}` writes it.")
    return read_results(file.read_bytes(), str(file))


def read_results(content: bytes, where: str) -> Results:
    """The results that a file holds; ``where`` is its name, for messages."""
    try:
        results = msgspec.json.decode(content, type=Results)
    except msgspec.DecodeError as error:  # a ValidationError is one too
        raise ResultsError(f"{where}: this is not a results file of `grader grade`: {error}") from error
    if results.format != FORMAT:
        raise ResultsError(f"{where}: format: found {results.format}, this grader reads {FORMAT}.")
    return results
